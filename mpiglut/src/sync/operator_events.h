// What the operator's events say, by names. An event has the same few numbers whatever its kind; those of the operator's
// kinds are put in and read here alone.
#pragma once

#include "sync/tick.h"
#include "wall/wall.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mpiglut {

/// All tiles show this from now on; a number of gl::Over.
struct ShownOver {
    int what = 0;

    static ShownOver of(const Event &event) { return {event.a}; }
    Event event() const { return {.kind = Event::Kind::show, .a = what}; }
};

/// The operator wants a screenshot of this frame, or of a later one.
struct WantedStill {
    int request = 0;
    std::int64_t frame = 0; ///< 0: of the next one; the windows are displayed anew for it

    static WantedStill of(const Event &event) { return {event.a, event.b}; }
    Event event() const {
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        return {.kind = Event::Kind::still, .a = request, .b = static_cast<std::int32_t>(std::min(frame, most))};
    }
};

/// A tile has another place on the wall, which may have another size.
struct MovedTile {
    int rank = 0, x = 0, y = 0, wall_width = 0, wall_height = 0;
    bool last = false; ///< of a change of several tiles: all of them take effect

    static MovedTile of(const Event &event) {
        return {event.rank, event.x, event.y, event.a, event.b, event.z != 0};
    }
    Event event() const {
        return {.kind = Event::Kind::place, .rank = rank, .x = x, .y = y, .z = last, .a = wall_width, .b = wall_height};
    }
};

/// A tile's colours are corrected otherwise. Travels in thousandths.
struct CorrectedTile {
    int rank = 0;
    pixmpi::Correction correction;

    static CorrectedTile of(const Event &event) {
        const auto value = [](std::int32_t thousandths) { return thousandths / 1000.0; };
        return {event.rank,
                {value(event.a), std::max(value(event.b), pixmpi::least_gamma), value(event.x), value(event.y),
                 value(event.z)}};
    }
    Event event() const {
        const auto thousandths = [](double value) { return static_cast<std::int32_t>(std::lround(value * 1000)); };
        return {.kind = Event::Kind::correct,
                .rank = rank,
                .x = thousandths(correction.red),
                .y = thousandths(correction.green),
                .z = thousandths(correction.blue),
                .a = thousandths(correction.brightness),
                .b = thousandths(correction.gamma)};
    }
};

/// Rank 0 records from now on, or no longer.
struct WantedRecording {
    bool runs = false;

    static WantedRecording of(const Event &event) { return {event.a != 0}; }
    Event event() const { return {.kind = Event::Kind::record, .a = runs}; }
};

} // namespace mpiglut
