// What each rank renders, where the wall's work is shared out (--balance): at the beginning of a tick rank 0 says where
// the cuts are that part the wall (wall/partition.h), and every rank goes on with its rectangle. Each rank still calls
// the program's display callback once in a frame.
//
// The cuts stay at the tiles' own borders for what cannot be shared out: several windows, single-buffered ones, windows
// that another thread draws, and programs that go on with pixels of an earlier frame.
#pragma once

#include "balance/policy.h"
#include "wall/partition.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace mpiglut {

struct Sharing {
    bool wanted = false;                        ///< --balance, and all ranks can
    bool frozen = false;                        ///< the program keeps pixels between frames, or the like
    bool broken = false;                        ///< this rank has missed pixels of others
    std::atomic<bool> late = false;             ///< the last frame is drawn, not yet shown; drawing threads look
    std::vector<pixmpi::Rect> rects;            ///< what each rank renders; empty: its tile
    std::optional<pixmpi::Partition> partition; ///< of the wall as it is
    std::unique_ptr<balance::Policy> policy;    ///< on rank 0
};

/// In glutInit: all ranks find out whether they can.
void prepare_sharing();

/// Rank 0: where the cuts are in the next tick. None: each rank renders its own tile.
std::vector<std::int32_t> next_cuts();
/// All ranks, at the beginning of a tick.
void share_out(const std::vector<std::int32_t> &cuts);
/// All ranks at once, before windows come, go, or change their size: each rank renders its own tile.
void stop_sharing();

/// All ranks at once: some have died. The cuts go home, and from there to where the living have as much to do.
void share_among_the_living();

/// The window that was made has a buffer that keeps pixels.
void has_accumulation_buffer();

/// Around what the program draws of a frame.
void begin_rendering();
/// The program has drawn, and what it has drawn is about to be shown. All ranks have drawn this frame alike.
void end_rendering();
/// All meet before a swap, and rank 0 hears how long rendering took. False as for comm::barrier.
bool meet_with_times();

} // namespace mpiglut
