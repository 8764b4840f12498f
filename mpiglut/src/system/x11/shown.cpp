#include "system/x11/shown.h"

#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"
#include "run/report.h"
#include "sync/comm.h"
#include "system/x11/backdrop.h"
#include "system/x11/connections.h"
#include "system/x11/screen.h"
#include "system/x11/tile_input.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mpiglut::x11 {
namespace {

using pixmpi::Rect;

constexpr std::int64_t shortest_ns = 10'000'000; ///< between two pictures of a program that goes by real time
enum Where : std::int64_t { in_wait, at_meeting, at_end };

Screen &screen() {
    static auto *const the_screen = new Screen(state().plan.width, state().plan.height);
    return *the_screen;
}

/// Numbers of 32 bits, one after the other.
class Writer {
  public:
    void add(std::uint32_t value) {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        payload.insert(payload.end(), bytes.begin(), bytes.end());
    }
    void add(const Rect &rect) {
        for (const int value : {rect.x, rect.y, rect.width, rect.height})
            add(static_cast<std::uint32_t>(value));
    }
    Payload payload;
};

class Reader {
  public:
    explicit Reader(const Payload &payload) : payload_(payload) {}
    std::uint32_t number() {
        std::uint32_t value = 0;
        if (payload_.size() - at_ >= sizeof value)
            std::memcpy(&value, payload_.data() + at_, sizeof value);
        at_ = std::min(at_ + sizeof value, payload_.size());
        return value;
    }
    Rect rect() {
        const int x = static_cast<int>(number()), y = static_cast<int>(number()), width = static_cast<int>(number());
        return {x, y, width, static_cast<int>(number())};
    }
    std::size_t left() const { return payload_.size() - at_; }

  private:
    const Payload &payload_;
    std::size_t at_ = 0;
};

/// What of a piece lies on a tile, as runs of equal pixels: what is drawn by requests has many of these.
void add(Writer &to, const Piece &piece, const Rect &here) {
    to.add(here);
    std::uint32_t count = 0, last = 0;
    for (int y = here.y; y < here.bottom(); ++y) {
        const std::uint32_t *const row =
            &piece.pixels[static_cast<std::size_t>(y - piece.place.y) * static_cast<std::size_t>(piece.place.width) +
                          static_cast<std::size_t>(here.x - piece.place.x)];
        for (int x = 0; x < here.width; ++x) {
            const std::uint32_t pixel = row[x] & 0xffffff;
            if (count == 0xff || (count && pixel != last)) {
                to.add(count << 24 | last);
                count = 0;
            }
            last = pixel;
            ++count;
        }
    }
    to.add(count << 24 | last);
}

Piece read_piece(Reader &from) {
    Piece piece{from.rect(), {}};
    const std::size_t size =
        static_cast<std::size_t>(piece.place.width) * static_cast<std::size_t>(piece.place.height);
    piece.pixels.reserve(size);
    while (piece.pixels.size() < size && from.left()) {
        const std::uint32_t run = from.number();
        piece.pixels.insert(piece.pixels.end(), run >> 24, run & 0xffffff);
    }
    piece.pixels.resize(size);
    return piece;
}

Payload payload_for(const pixmpi::Tile &tile, const std::vector<Piece> &pieces, bool moved, bool seen_anew,
                    const std::vector<Seen> &seen) {
    Writer to;
    to.add(moved);
    const auto here = [&tile](const Piece &piece) { return pixmpi::intersect(piece.place, tile.rect); };
    to.add(static_cast<std::uint32_t>(
        std::ranges::count_if(pieces, [&](const Piece &piece) { return !here(piece).empty(); })));
    for (const Piece &piece : pieces)
        if (const Rect rect = here(piece); !rect.empty())
            add(to, piece, rect);
    to.add(seen_anew);
    to.add(static_cast<std::uint32_t>(seen.size()));
    for (const Seen &one : seen) {
        to.add(static_cast<std::uint32_t>(one.id));
        to.add(one.whole);
        to.add(static_cast<std::uint32_t>(one.region.size()));
        for (const Rect &rect : one.region)
            to.add(rect);
    }
    return std::move(to.payload);
}

/// True where windows may have moved.
bool use(const Payload &payload) {
    Reader from(payload);
    const bool moved = from.number() != 0;
    std::vector<Piece> pieces(from.number());
    for (Piece &piece : pieces)
        piece = read_piece(from);
    paint(pieces);
    const bool seen_anew = from.number() != 0;
    std::vector<Seen> seen(from.number());
    for (Seen &one : seen) {
        one.id = static_cast<int>(from.number());
        one.whole = from.number() != 0;
        one.region.resize(from.number());
        for (Rect &rect : one.region)
            rect = from.rect();
    }
    if (seen_anew)
        set_seen(seen);
    return moved;
}

/// The run is to be the same each time: what windows are like is asked, and not only heard of.
bool is_exact() { return state().options.clock == ClockMode::step || !state().options.captures.empty(); }

/// The operator has moved tiles: each shows something else.
void look_at_wall() {
    static auto &before = *new std::vector<Rect>; // of use until the very end of the process
    std::vector<Rect> now;
    for (const pixmpi::Tile &tile : state().plan.tiles)
        now.push_back(tile.rect);
    if (!before.empty() && before != now)
        screen().forget();
    before = std::move(now);
}

/// Rank 0: to all ranks, and to this one's tile.
bool put_down(Where where) {
    look_at_wall();
    const bool moved = where == at_meeting && (is_exact() || screen().pop_moved());
    const std::vector<Piece> pieces = screen().pop_pieces();
    std::vector<Seen> seen;
    const bool seen_anew = screen().pop_seen(seen);
    if (where != at_meeting && pieces.empty() && !seen_anew)
        return false;
    if (!pieces.empty())
        note_shown();
    std::vector<Payload> payloads;
    for (const pixmpi::Tile &tile : state().plan.tiles)
        payloads.push_back(payload_for(tile, pieces, moved, seen_anew, seen));
    payloads.resize(static_cast<std::size_t>(comm::size()));
    {
        const Order now;
        put_each({.kind = Kind::shown, .wanted = where}, payloads);
    }
    return use(payloads[0]);
}

} // namespace

namespace {

/// After a while in which the program had time for a window with OpenGL.
void name_wall_without_size(std::int64_t now) {
    constexpr std::int64_t patience_ns = 3'000'000'000;
    static const std::int64_t begun = now;
    if (state().plan.from_window && state().windows.empty() && now - begun > patience_ns)
        report_once(Report::note, "the program draws by X requests, which are shown on walls with a size: give --wall "
                                  "one, such as 2x2@640x480");
}

} // namespace

void show_in_wait() {
    static std::int64_t last = 0;
    if (leads() && active() && state().running)
        name_wall_without_size(clock::real_monotonic_ns());
    if (!leads() || !shows_screen() || role() != Role::ticks || Ours::here() || is_over())
        return;
    const std::int64_t now = clock::real_monotonic_ns();
    if (now - last < shortest_ns || !screen().look(false))
        return;
    last = now;
    put_down(in_wait);
}

bool show_together() {
    if (!shows_screen() || role() != Role::ticks || is_over())
        return true;
    if (leads()) {
        screen().look(is_exact());
        return put_down(at_meeting);
    }
    Payload mine;
    await_record({.kind = Kind::shown, .wanted = at_meeting},
         [&mine](const Record &, const Payload &payload) { mine = payload; });
    return use(mine);
}

void show_last() {
    if (!shows_screen() || !has_connections() || role() != Role::ticks) // another thread may end the program
        return;
    if (leads()) {
        if (screen().look(true))
            put_down(at_end);
        return;
    }
    constexpr std::int64_t longest_ns = 2'000'000'000;
    const std::int64_t begun = clock::real_monotonic_ns();
    Payload payload;
    comm::wait_until([&] {
        Last next = receive_last(payload);
        for (; next == Last::shown; next = receive_last(payload))
            use(payload);
        return next == Last::end || clock::real_monotonic_ns() - begun > longest_ns;
    });
}

void show_as_rank_0(const Payload &payload) { use(payload); }

} // namespace mpiglut::x11
