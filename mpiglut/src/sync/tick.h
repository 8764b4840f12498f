// What travels between the ranks: input events on their way up to rank 0, ticks on their way down.
#pragma once

#include "clock/clock.h"
#include "files/standard_input.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mpiglut {

struct Event {
    enum class Kind : std::uint8_t {
        key,
        key_up, ///< a: character
        special,
        special_up, ///< a: key, by GLUT's numbers (GLUT_KEY_*)
        mouse,      ///< a: button, b: Button
        wheel,      ///< a: wheel, b: direction
        motion,
        passive,          ///< x, y alone
        entry,            ///< a: Crossing
        visibility,       ///< a: Visibility of this tile's part
        menu,             ///< a: the entry's value, b: menu number; window: where it was opened
        menu_status,      ///< a: MenuStatus, b: menu number
        joystick,         ///< a: button mask; x, y, z: axes
        spaceball_motion, ///< x, y, z
        spaceball_rotate, ///< x, y, z
        spaceball_button, ///< a: button, b: Button
        dials,            ///< a: dial, b: degrees
        button_box,       ///< a: button, b: Button
        resize,           ///< a, b: size that the tile's real window was given
        close,            ///< the window manager asks to close the window
        damage,           ///< the window system lost the picture: draw again
        redisplay,        ///< a thread of the program other than the main loop's has asked for it
        // The operator's; sync/operator_events.h says what is in them.
        show,
        still,
        quit, ///< the operator ends the program
        place,
        correct,
        record, ///< to rank 0 alone
        replay, ///< to rank 0 alone; a: see Replaying, b: the number of the replay
        count
    };
    // What a or b is; the numbers are GLUT's.
    enum Button : std::int32_t { down, up };
    enum Crossing : std::int32_t { left, entered };
    enum Visibility : std::int32_t { hidden, whole, partial, covered };
    enum MenuStatus : std::int32_t { menu_closed, menu_open };
    enum Modifier : std::int32_t { shift = 1, control = 2, alt = 4 };

    Kind kind{};
    std::int32_t rank = 0;      ///< the tile it came from
    std::int32_t window = 0;    ///< number of the window
    std::int32_t x = 0, y = 0, z = 0; ///< in the whole window's coordinates, y down
    std::int32_t a = 0, b = 0;
    std::int32_t modifiers = 0; ///< Modifier, when it happened
    bool operator==(const Event &) const = default;
};

/// The steps of a replay that the operator wants: begins, then for each event its instant and the event, then plays.
enum class Replaying : std::int32_t { stop, begin, instant, play }; ///< instant: x: the frame, y: ticks since it

/// The operator's own, which neither devices nor recordings have a part in.
constexpr bool is_of_operator(Event::Kind kind) { return kind >= Event::Kind::show && kind < Event::Kind::count; }

/// Recordings have what comes from outside of the program.
constexpr bool is_of_program(Event::Kind kind) { return kind == Event::Kind::redisplay; }

/// An event of a recording: `frame` frames were complete, the last one `after` ticks ago.
struct Recorded {
    std::int64_t frame = 0, after = 0;
    Event event;
};

/// "key", "mouse", ...: the word in record files.
const char *name(Event::Kind kind);
std::optional<Event::Kind> kind_from_name(const std::string &word);

struct Tick {
    std::uint64_t number = 0;
    clock::Stamp stamp;
    bool interrupted = false; ///< the run is to end now, in an orderly way
    bool drawn_beside = false; ///< a thread of the program draws on all ranks, apart from the ticks
    bool shows_late = false;   ///< nothing else is to do: the frame is shown that is late, and the clock stands still
    standard_input::Arrived input;
    std::vector<std::int32_t> dead; ///< the ranks that the wall goes on without
    std::vector<std::int32_t> cuts; ///< of a wall that shares out its work; none: each rank renders its tile
    std::vector<Event> events;
};

/// Little-endian, fixed width. The readers return nothing for bytes that are not exactly one such thing.
std::vector<std::byte> pack(std::span<const Event> events);
std::vector<std::byte> pack(const Tick &tick);
std::optional<std::vector<Event>> unpack_events(std::span<const std::byte> bytes);
std::optional<Tick> unpack_tick(std::span<const std::byte> bytes);

} // namespace mpiglut
