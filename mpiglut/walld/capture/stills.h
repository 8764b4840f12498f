// Pictures of the whole wall at full resolution: the tiles' pictures of one frame, put together.
#pragma once

#include "link/messages.h"
#include "run/capture.h"
#include "run/dashboard.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace mpiglut::walld {

struct Still {
    std::string coded; ///< as was asked; empty where the picture cannot be coded so
    int width = 0, height = 0;
    std::int64_t frame = 0;
    std::string error; ///< why there is none
};

/// Its numbers may be calculated with, whatever program has written them.
bool is_sound(const PictureFacts &facts);

class Stills {
  public:
    using Done = std::function<void(const Still &)>;
    /// Called elsewhere.
    using Coding = std::function<std::string(std::span<const std::byte> rgb, int columns, int rows)>;
    /// Work that takes long: it goes on elsewhere, and what it returns is called in the loop afterwards.
    using Work = std::function<std::function<void()>()>;
    explicit Stills(std::function<void(Work)> elsewhere) : elsewhere_(std::move(elsewhere)) {}

    void elsewhere(Work work) { elsewhere_(std::move(work)); }
    /// The number of a new request for a picture of these ranks' tiles.
    int begin(std::set<int> ranks, Coding coding, Done done);
    void add(int rank, const PictureFacts &facts, std::string png);
    /// This rank's tile shows nothing any more, so it is dark in the pictures that are being waited for.
    void lose(int rank);
    /// It has taken too long, or the run is over.
    void give_up(int request, const std::string &why);
    void give_up_all(const std::string &why);
    /// No picture is being waited for.
    bool idle() const { return waiting_.empty() && coming_.empty(); }

  private:
    struct Part {
        PictureFacts facts;
        std::string png;
    };
    using Parts = std::map<int, Part>;
    struct Waiting {
        std::set<int> missing;
        Coding coding;
        Done done;
        Parts parts;
    };
    static Still put_together(const Parts &parts, const Coding &coding);
    void finish_complete();
    void finish(int request, const Still &still);

    std::function<void(Work)> elsewhere_;
    std::map<int, Waiting> waiting_;
    std::map<int, Done> coming_; ///< all tiles are there, and are being put together
    int last_ = 0;
};

} // namespace mpiglut::walld
