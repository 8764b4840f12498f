// --csv: a line for each measurement, in the columns of SimpleTiming, the timing program of the IceT library, for
// scripts that plot those. A column without a meaning here is 0.
#pragma once

#include "composite/composite_target.h"
#include "measure/turns.h"

class CompositeLog {
  public:
    /// A line for each repetition of the way. `bytes`: that all ranks send for a frame.
    void add(const CompositeCase &what, const Way &way, int ranks, double bytes);
    /// False when the file cannot be written.
    bool write(const std::string &path) const;

  private:
    std::string lines_;
};
