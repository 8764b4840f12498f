// A film of the wall while it is taken: every n-th frame, or a later one where pictures take longer than that.
#pragma once

#include "capture/avi.h"
#include "capture/captures.h"
#include "capture/film_coder.h"
#include "capture/stills.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mpiglut::walld {

class Film {
  public:
    using Done = std::function<void(const Film &)>;
    struct Making {
        FilmTool tool;                               ///< without an encoder: an AVI file
        std::function<void(Stills::Work)> elsewhere; ///< where one may wait for the coder
        Done done;                                   ///< its file is complete, or gone
    };
    /// Where it has no place, it has ended, with an error.
    Film(Captures &captures, int every, Making making = {});

    /// What is to be done with its pictures.
    Stills::Coding coding() const;
    /// `still` as that has coded it. The next frame that it wants; nothing when it has ended.
    std::optional<std::int64_t> add(const Still &still);
    /// `then`: when the file is complete, or gone because no frame came.
    void end(const std::string &error = {}, Done then = {});

    /// Its file is not complete.
    bool runs() const { return runs_; }
    bool takes_frames() const { return runs_ && !ending_; }
    int every() const { return every_; }
    const std::string &file() const { return file_; }
    std::size_t frames() const { return frames_; }
    const std::string &error() const { return error_; } ///< why it ended, if it was not ended

  private:
    using Clock = std::chrono::steady_clock;
    std::uint64_t bytes() const;
    std::string keep(const Still &still);
    void close_avi();
    void complete();

    Captures &captures_;
    int every_;
    Making making_;
    OwnFile place_; ///< of an AVI file until the first frame has come
    std::string file_, error_;
    bool runs_ = true, ending_ = false;
    std::size_t frames_ = 0;
    int width_ = 0, height_ = 0;
    Clock::time_point first_{}, last_{};
    std::unique_ptr<Avi> avi_; ///< from the first frame on
    std::shared_ptr<FilmCoder> coder_;
    std::vector<Done> then_;
    std::shared_ptr<int> life_ = std::make_shared<int>(); ///< what comes from elsewhere may come too late
};

} // namespace mpiglut::walld
