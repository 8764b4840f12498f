// One frame of a compositor: this rank finds what is active in its picture, the ranks tell each other, and then do what
// follows from that, which is the same for all of them.
#pragma once

#include "composite/compose.h"
#include "composite/frame_log.h"

#include <algorithm>

namespace pixmpi {

/// What is known of searches before, on this rank.
struct SearchHistory {
    int frames_to_skip = 0; ///< so full was the picture
    int frames_between = 0; ///< how many were skipped last, as long as it is full
    int by_shaders = 0;     ///< how often a device's shaders have looked

    /// Of a picture that stays full, each search is later than the one before.
    void has_seen(bool full) {
        constexpr int least = 8, most = 64;
        frames_between = full ? std::clamp(2 * frames_between, least, most) : 0;
        frames_to_skip = frames_between;
    }
};

/// Pictures that the program leaves alone between frames: what the last frame has put there.
struct KeptPictures {
    std::vector<pixMPI_Surface> where{}; ///< their planes
    std::shared_ptr<Surface> background{};
    std::optional<Cells> drawn{}; ///< none: unknown
    const void *last = nullptr;   ///< the frame that is to say what it has drawn; compared only
};

/// The settings of a compositor.
struct Compositing {
    // The same on all ranks:
    Reduction how;
    int result = 0;
    std::vector<Target> tiles; ///< in the place of `result`, if there are some
    Scheme::Wish wish;
    // By rank:
    pixMPI_Search search = PIXMPI_SEARCH_AUTO;
    bool onto = false, snapshot = false;
    bool exact = false; ///< outside of what is active may be anything, which may be overwritten
    pixMPI_Codec codec{};
    std::shared_ptr<Surface> background; ///< or null; all ranks have one, or none has
    std::shared_ptr<KeptPictures> kept;  ///< or null
    std::shared_ptr<SearchHistory> history = std::make_shared<SearchHistory>();
    std::shared_ptr<FrameLog> log = std::make_shared<FrameLog>();

    /// Who gets what of a picture.
    std::vector<Target> targets(Extent extent, int ranks) const;
};

/// What this rank's call names.
struct FrameCall {
    std::shared_ptr<Surface> drawn;                 ///< the first attachment, with the depth that decides
    std::vector<std::shared_ptr<Surface>> further;  ///< attachments: their colours
    std::vector<std::shared_ptr<Surface>> pictures; ///< for each of this rank's targets one of each attachment
    bool in_place = false;                          ///< the picture is `drawn`
    pixMPI_Rect active{};                           ///< width 0: nothing
    FrameLog::Clock::time_point called{};
    double draw = 0; ///< seconds that the program took before

    std::size_t attachments() const { return 1 + further.size(); }
};

/// Adds the steps to the plan.
Status write_frame(Plan &plan, Compositing how, FrameCall call);

} // namespace pixmpi
