#include "sync/tick.h"

#include "run/packing.h"

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

namespace mpiglut {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Event::Kind::count)> kind_names{"key",
                                                                                                "key_up",
                                                                                                "special",
                                                                                                "special_up",
                                                                                                "mouse",
                                                                                                "wheel",
                                                                                                "motion",
                                                                                                "passive",
                                                                                                "entry",
                                                                                                "visibility",
                                                                                                "menu",
                                                                                                "menu_status",
                                                                                                "joystick",
                                                                                                "spaceball_motion",
                                                                                                "spaceball_rotate",
                                                                                                "spaceball_button",
                                                                                                "dials",
                                                                                                "button_box",
                                                                                                "resize",
                                                                                                "close",
                                                                                                "damage",
                                                                                                "redisplay",
                                                                                                "show",
                                                                                                "still",
                                                                                                "quit",
                                                                                                "place",
                                                                                                "correct",
                                                                                                "record",
                                                                                                "replay"};
static_assert(!kind_names.back().empty(), "a name for every kind");

} // namespace

template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

template <Is<Event> E, class Visit> static void each_member(E &event, Visit &visit) {
    visit(event.kind, event.rank, event.window, event.x, event.y, event.z, event.a, event.b, event.modifiers);
}
template <Is<Tick> T, class Visit> static void each_member(T &tick, Visit &visit) {
    visit(tick.number, tick.stamp.realtime_ns, tick.stamp.monotonic_ns, tick.stamp.readings, tick.interrupted,
          tick.drawn_beside, tick.shows_late, tick.input.bytes, tick.input.ended, tick.dead, tick.cuts, tick.events);
}

const char *name(Event::Kind kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < kind_names.size() ? kind_names[index].data() : "unknown";
}

std::optional<Event::Kind> kind_from_name(const std::string &word) {
    for (std::size_t i = 0; i < kind_names.size(); ++i)
        if (word == kind_names[i])
            return static_cast<Event::Kind>(i);
    return std::nullopt;
}

std::vector<std::byte> pack(std::span<const Event> events) { return to_bytes<std::vector<std::byte>>(events); }

std::vector<std::byte> pack(const Tick &tick) { return to_bytes<std::vector<std::byte>>(tick); }

std::optional<std::vector<Event>> unpack_events(std::span<const std::byte> bytes) {
    return from_bytes<std::vector<Event>>(bytes);
}

std::optional<Tick> unpack_tick(std::span<const std::byte> bytes) { return from_bytes<Tick>(bytes); }

} // namespace mpiglut
