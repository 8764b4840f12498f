// A film of the wall while it is taken: every n-th frame, or a later one where pictures take longer than that.
#pragma once

#include "avi.h"
#include "captures.h"
#include "stills.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace mpiglut::walld {

class Film {
  public:
    /// Where it has no place, it has ended, with an error.
    Film(Captures &captures, int every);

    /// `still` as a JPEG. The next frame that it wants; nothing when it has ended.
    std::optional<std::int64_t> add(const Still &still);
    void end(const std::string &error = {});

    bool runs() const { return runs_; }
    int every() const { return every_; }
    const std::string &file() const { return file_; }
    std::size_t frames() const { return avi_ ? avi_->pictures() : 0; }
    const std::string &error() const { return error_; } ///< why it ended, where nobody ended it

  private:
    using Clock = std::chrono::steady_clock;
    Captures &captures_;
    int every_;
    OwnFile place_; ///< until the first frame has come
    std::string file_, error_;
    bool runs_ = true;
    int width_ = 0, height_ = 0;
    Clock::time_point first_{}, last_{};
    std::unique_ptr<Avi> avi_; ///< from the first frame on
};

} // namespace mpiglut::walld
