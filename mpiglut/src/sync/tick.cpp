#include "sync/tick.h"

#include <array>
#include <concepts>
#include <functional>
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

template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

/// The members of a thing, in the order they travel in.
template <Is<Event> E, class Visit> void each_member(E &event, Visit visit) {
    visit(event.kind);
    visit(event.rank);
    visit(event.window);
    visit(event.x);
    visit(event.y);
    visit(event.z);
    visit(event.a);
    visit(event.b);
    visit(event.modifiers);
}
template <Is<Tick> T, class Visit> void each_member(T &tick, Visit visit) {
    visit(tick.number);
    visit(tick.stamp.realtime_ns);
    visit(tick.stamp.monotonic_ns);
    visit(tick.stamp.readings);
    visit(tick.interrupted);
    visit(tick.drawn_beside);
    visit(tick.shows_late);
    visit(tick.input.bytes);
    visit(tick.input.ended);
    visit(tick.dead);
    visit(tick.cuts);
    visit(tick.events);
}
constexpr std::size_t event_bytes = 1 + 8 * 4;

struct Writer {
    std::vector<std::byte> bytes;

    template <std::integral T> void operator()(T value) {
        for (std::size_t i = 0; i < sizeof value; ++i)
            bytes.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
    void operator()(Event::Kind kind) { (*this)(static_cast<std::uint8_t>(kind)); }
    void operator()(const std::vector<std::int32_t> &values) {
        (*this)(static_cast<std::uint32_t>(values.size()));
        for (const std::int32_t value : values)
            (*this)(value);
    }
    void operator()(const std::vector<Event> &events) { (*this)(std::span(events)); }
    void operator()(std::span<const Event> events) {
        (*this)(static_cast<std::uint32_t>(events.size()));
        bytes.reserve(bytes.size() + events.size() * event_bytes);
        for (const Event &event : events)
            each_member(event, std::ref(*this));
    }
};

struct Reader {
    std::span<const std::byte> bytes;
    bool good = true;

    template <std::integral T> void operator()(T &value) {
        if (bytes.size() < sizeof value) {
            good = false;
            return;
        }
        std::uint64_t read = 0;
        for (std::size_t i = 0; i < sizeof value; ++i)
            read |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        bytes = bytes.subspan(sizeof value);
        value = static_cast<T>(read);
    }
    void operator()(bool &value) {
        std::uint8_t read = 0;
        (*this)(read);
        value = read == 1;
        good = good && read <= 1;
    }
    void operator()(Event::Kind &kind) {
        std::uint8_t read = 0;
        (*this)(read);
        good = good && read < static_cast<std::uint8_t>(Event::Kind::count);
        kind = good ? static_cast<Event::Kind>(read) : Event::Kind{};
    }
    void operator()(std::vector<std::int32_t> &values) {
        std::uint32_t count = 0;
        (*this)(count);
        good = good && bytes.size() / sizeof(std::int32_t) >= count; // so that it cannot ask for memory
        values.resize(good ? count : 0);
        for (std::int32_t &value : values)
            (*this)(value);
    }
    void operator()(std::vector<Event> &events) {
        std::uint32_t count = 0;
        (*this)(count);
        // The count is believed only if it is what the bytes hold, so that it cannot ask for memory.
        if (!good || bytes.size() / event_bytes != count || bytes.size() % event_bytes != 0) {
            good = false;
            return;
        }
        events.resize(count);
        for (Event &event : events)
            each_member(event, std::ref(*this));
    }
    bool complete() const { return good && bytes.empty(); }
};

} // namespace

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

std::vector<std::byte> pack(std::span<const Event> events) {
    Writer writer;
    writer(events);
    return std::move(writer.bytes);
}

std::vector<std::byte> pack(const Tick &tick) {
    Writer writer;
    each_member(tick, std::ref(writer));
    return std::move(writer.bytes);
}

std::optional<std::vector<Event>> unpack_events(std::span<const std::byte> bytes) {
    Reader reader{bytes};
    std::vector<Event> events;
    reader(events);
    return reader.complete() ? std::optional(std::move(events)) : std::nullopt;
}

std::optional<Tick> unpack_tick(std::span<const std::byte> bytes) {
    Reader reader{bytes};
    Tick tick;
    each_member(tick, std::ref(reader));
    return reader.complete() ? std::optional(std::move(tick)) : std::nullopt;
}

} // namespace mpiglut
