// The wall of a run as the operator adjusts it (bezels, places and colours of tiles), and the file that keeps it.
#pragma once

#include "capture/captures.h"
#include "desk/input.h"
#include "link/messages.h"
#include "wall/edit.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace mpiglut::walld {

class Adjusted {
  public:
    explicit Adjusted(const launcher::Run &facts);

    /// As the tiles show it, at its brightness.
    const pixmpi::Wall &wall() const { return shown_; }
    bool changed() const { return editor_.text() != kept_; }

    // Each: empty, or why the wall stays as it is.
    std::string nudge(const Nudge &nudge);
    std::string recolour(const Recolouring &wish);
    void reset();
    /// The brightness of all tiles, over that of each. The file does not get it.
    void dim(double brightness);
    double brightness() const { return brightness_; }
    /// Into the wall file, where all else stays as it is. A wall that is no file becomes one among the captures. `file`
    /// receives its name.
    std::string save(Captures &captures, std::string &file);

    nlohmann::json to_json() const;

  private:
    std::string apply(const std::string &error);

    std::string file_; ///< empty: there is none, or it says something else than what runs
    std::string kept_; ///< what the file has
    pixmpi::WallEditor editor_;
    pixmpi::Wall shown_;
    double brightness_ = 1;
};

} // namespace mpiglut::walld
