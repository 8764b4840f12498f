#include "model/console.h"

#include "base/process.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "gl/correction.h"
#include "gl/over.h"
#include "gl/shrink.h"
#include "model/adjust.h"
#include "model/operator_menu.h"
#include "model/recording.h"
#include "run/board.h"
#include "sync/comm.h"

#include <GL/freeglut.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mpiglut::console {
namespace {

/// Where the operator's pointer is, on rank 0.
struct Pointer {
    int over = 0, held = 0; ///< windows: under it, and the one in which a button went down
    unsigned buttons = 0;
    int x = 0, y = 0;
};
Pointer pointer;

std::atomic<std::int32_t> still_request{0}; ///< 0: none is wanted
std::atomic<std::int64_t> still_frame{0};   ///< the frame that it shows, or a later one

/// The visible window at this point of the wall, the uppermost; 0 where there is none.
int window_at(const std::vector<int> &bottom_to_top, int x, int y) {
    State &s = state();
    for (auto id = bottom_to_top.rbegin(); id != bottom_to_top.rend(); ++id) {
        const Window *window = s.window(*id);
        if (!window || !window->visible || pixmpi::intersect(wall_rect(*window), {x, y, 1, 1}).empty())
            continue;
        const int child = window_at(window->children, x, y);
        return child ? child : *id;
    }
    return 0;
}

/// `top`: the window whose wall the point is on, where each window has a wall of its own.
int find_window(int top, int x, int y) {
    State &s = state();
    if (pointer.held && s.window(pointer.held))
        return pointer.held;
    if (s.plan.from_window)
        return window_at({s.window(top) ? top : s.first}, x, y);
    return window_at(s.top_level, x, y);
}

void add(std::vector<Event> &events, Event event, Event::Kind kind, int window) {
    event.kind = kind;
    event.window = window;
    event.rank = comm::size(); // no tile's
    const Window *found = state().window(window);
    if (!found)
        return;
    const pixmpi::Rect place = wall_rect(*found);
    event.x -= place.x;
    event.y -= place.y;
    events.push_back(event);
}

void cross(std::vector<Event> &events, const Event &event, int to) {
    if (to == pointer.over)
        return;
    Event crossing = event;
    crossing.a = GLUT_LEFT;
    add(events, crossing, Event::Kind::entry, pointer.over);
    crossing.a = GLUT_ENTERED;
    add(events, crossing, Event::Kind::entry, to);
    pointer.over = to;
}

bool taken_by_menu(std::vector<Event> &events, const Event &event, int id) {
    const Window *const window = state().window(id);
    if (event.kind != Event::Kind::mouse || !window)
        return operator_menu::is_open();
    const pixmpi::Rect place = wall_rect(*window);
    Event inside = event;
    inside.rank = comm::size();
    inside.x -= place.x;
    inside.y -= place.y;
    return operator_menu::press(events, *window, inside, event);
}

void take_pointer(std::vector<Event> &events, const Event &event) {
    const int window = find_window(event.window, event.x, event.y);
    pointer.x = event.x;
    pointer.y = event.y;
    cross(events, event, window);
    if (taken_by_menu(events, event, window))
        return;
    if (event.kind == Event::Kind::mouse) {
        const unsigned button = 1u << (event.a & 7);
        if (event.b != GLUT_DOWN && !(pointer.buttons & button))
            return; // the page has kept its going down to itself
        if (event.b == GLUT_DOWN && !pointer.buttons)
            pointer.held = window;
        pointer.buttons = event.b == GLUT_DOWN ? pointer.buttons | button : pointer.buttons & ~button;
    }
    const bool moves = event.kind == Event::Kind::motion;
    add(events, event, moves && !pointer.buttons ? Event::Kind::passive : event.kind, window);
    if (!pointer.buttons)
        pointer.held = 0;
}

void take_key(std::vector<Event> &events, Event event) {
    const int window = state().window(pointer.over) ? pointer.over : state().first;
    event.x = pointer.x;
    event.y = pointer.y;
    add(events, event, event.kind, window);
}

void display_again() {
    for (auto &[id, window] : state().windows)
        window->redisplay = true;
}

/// How many windows lie below this one, counting from `count`; false when it is not among them.
bool find_layer(const std::vector<int> &bottom_to_top, int id, int &count) {
    for (int other : bottom_to_top) {
        if (other == id)
            return true;
        ++count;
        if (const Window *window = state().window(other); window && find_layer(window->children, id, count))
            return true;
    }
    return false;
}

PictureFacts facts_of(const Window &window) {
    const pixmpi::Wall &wall = wall_of(window);
    const pixmpi::Rect &clip = window.clip;
    const int longest = std::max({wall.width, wall.height, 1});
    // Corners are rounded, not sizes: pictures of neighbours meet.
    const auto scaled = [longest](int at) {
        return longest <= longest_live_side ? at : static_cast<int>(std::int64_t{at} * longest_live_side / longest);
    };
    PictureFacts facts;
    const Window *top = &window;
    while (top->parent && state().window(top->parent))
        top = state().window(top->parent);
    facts.window = window.id;
    facts.top = top->id;
    find_layer(state().top_level, window.id, facts.layer);
    facts.x = clip.x;
    facts.y = clip.y;
    facts.width = clip.width;
    facts.height = clip.height;
    facts.wall_width = wall.width;
    facts.wall_height = wall.height;
    facts.columns = std::max(1, scaled(clip.right()) - scaled(clip.x));
    facts.rows = std::max(1, scaled(clip.bottom()) - scaled(clip.y));
    return facts;
}

/// From what the tile's monitor shows to what a viewer sees.
void set_upright(const pixmpi::Tile &tile, std::span<std::byte> rgb) {
    const std::vector<std::byte> as_shown(rgb.begin(), rgb.end());
    for (int y = 0, to = 0; y < tile.rect.height; ++y)
        for (int x = 0; x < tile.rect.width; ++x, to += 3) {
            int shown_x, shown_y;
            pixmpi::to_framebuffer(tile, x, y, shown_x, shown_y);
            const int from = 3 * (shown_y * tile.framebuffer_width() + shown_x);
            std::copy_n(as_shown.begin() + from, 3, rgb.begin() + to);
        }
}

/// Time falls into turns of this length, the same on all hosts whose clocks agree. Ranks end a frame together and come
/// to the end of the next one apart, so the last frame's end says which turn it is: all of them look at the same frame,
/// and wait for each other's reading once and not rank by rank. A wall that was idle goes by now.
std::int64_t turn_of_last_frame(std::int64_t interval) {
    const std::int64_t since = clock::real_monotonic_ns() - state().times.last_frame_ns;
    return (clock::real_realtime_ns() - (since < interval ? since : 0)) / interval;
}

/// A slot that nobody reads: the one with this window's last picture, else a free one, else the one whose picture is
/// the oldest.
Slot *take_slot(Board &board, int window, std::size_t &index) {
    const auto take = [&](std::uint32_t state, const auto &fits) {
        std::size_t best = live_slots;
        for (std::size_t i = 0; i < live_slots; ++i)
            if (board.live[i].state == state && fits(board.live[i].facts) &&
                (best == live_slots || board.live[i].facts.frame < board.live[best].facts.frame))
                best = i;
        index = best;
        return best < live_slots && board.live[best].state.compare_exchange_strong(state, Slot::writing);
    };
    const auto any = [](const PictureFacts &) { return true; };
    const bool taken = take(Slot::filled, [window](const PictureFacts &facts) { return facts.window == window; }) ||
                       take(Slot::free, any) || take(Slot::filled, any);
    return taken ? &board.live[index] : nullptr;
}

/// Rank 0: frames that come soon after each other are not all looked at. When the last of them has been there for a
/// while, the windows are displayed once more, as if something had lain over them, so that the operator sees it.
struct Rest {
    std::int64_t begins_ns = 0; ///< 0: all has been looked at
    std::uint64_t tick = 0;     ///< the last one in which windows are displayed for this reason
};
Rest rest;

std::int64_t live_interval() { return board() ? board()->live_interval_ns.load(std::memory_order_relaxed) : 0; }

void display_at_rest(std::vector<Event> &events) {
    if (!rest.begins_ns || clock::real_monotonic_ns() < rest.begins_ns)
        return;
    rest = {0, state().tick + 1};
    for (const auto &[id, window] : state().windows)
        add(events, {}, Event::Kind::damage, id);
}

} // namespace

void begin() {
    Board *const mapped = map_board(state().options.board_fd);
    if (mapped)
        mapped->now(Activity::program, clock::real_monotonic_ns());
    set_board(mapped);
    gl::set_correction(state().plan.tiles[comm::rank()].correction);
}

void tell_times() {
    Board *const b = board();
    if (!b)
        return;
    const State &s = state();
    {
        const auto lock = lock_geometry();
        b->tell(s.times);
    }
    b->tick.store(static_cast<std::int64_t>(s.tick), std::memory_order_relaxed);
    b->frames.store(s.complete_frames(), std::memory_order_relaxed);
}

void tell_swaps(std::span<const std::int64_t> times) {
    Board *const b = board();
    if (!b || times.empty())
        return;
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    const std::uint32_t at = b->skews.load(std::memory_order_relaxed);
    b->skew_us[at % most_skews].store(static_cast<float>(*last - *first) / 1000, std::memory_order_relaxed);
    b->skews.store(at + 1, std::memory_order_release);
    for (std::size_t rank = 0; rank < std::min(times.size(), most_lags); ++rank) {
        const float before = b->lag_us[rank].load(std::memory_order_relaxed);
        const float now = static_cast<float>(times[rank] - *first) / 1000;
        b->lag_us[rank].store(before + (now - before) / 16, std::memory_order_relaxed);
    }
}

void tell_divergence() {
    if (Board *const b = board())
        b->divergences.fetch_add(1, std::memory_order_relaxed);
}

// All tiles look at a frame that comes two intervals after the one before. Who shows frames at a steady rate, however
// slow, is never at rest.
void tell_frame(std::int64_t before, std::int64_t now) {
    const std::int64_t interval = live_interval();
    if (comm::rank() == 0 && role() == Role::ticks && state().tick != rest.tick)
        rest.begins_ns = interval > 0 && now - before < 2 * interval ? now + 5 * interval / 2 : 0;
}

void take_input(std::vector<Event> &events) {
    Board *const b = board();
    Event event;
    while (b && b->input.take(event)) {
        if (recording::take(event))
            continue;
        switch (event.kind) {
        case Event::Kind::mouse:
        case Event::Kind::wheel:
        case Event::Kind::motion:
            take_pointer(events, event);
            break;
        case Event::Kind::key:
        case Event::Kind::key_up:
        case Event::Kind::special:
        case Event::Kind::special_up:
            take_key(events, event);
            break;
        case Event::Kind::entry:
            cross(events, event, 0);
            break; // the pointer has left the page's picture
        case Event::Kind::menu:
            event.rank = comm::size();
            operator_menu::choose(events, event);
            break;
        case Event::Kind::damage:
            for (const auto &[id, window] : state().windows)
                add(events, event, Event::Kind::damage, id);
            break;
        default:
            if (is_of_operator(event.kind))
                events.push_back(event);
        }
    }
    operator_menu::tell();
    display_at_rest(events);
}

bool dispatch(const Event &event) {
    const State &s = state();
    switch (event.kind) {
    case Event::Kind::show:
        gl::set_over(static_cast<gl::Over>(std::clamp(event.a, 0, static_cast<int>(gl::Over::count) - 1)));
        display_again();
        return true;
    case Event::Kind::still:
        if (board() && !comm::catching_up()) {
            const std::int64_t next = (s.drawn_beside ? s.frames_beside : s.frames).complete + 1;
            still_frame = std::max<std::int64_t>(next, event.b);
            still_request = event.a;
        }
        if (event.b == 0)
            display_again();
        return true;
    case Event::Kind::quit:
        std::exit(EXIT_SUCCESS);
    case Event::Kind::place:
        place_tile(event);
        return true;
    case Event::Kind::correct:
        correct_tile(event);
        return true;
    default:
        return is_of_operator(event.kind);
    }
}

/// The turn whose picture the operator still wants of this window; -1: none.
static std::int64_t turn_wanted(const Window &window) {
    const std::int64_t interval = live_interval();
    if (interval <= 0 || !is_rank() || comm::catching_up())
        return -1;
    const auto lock = lock_geometry();
    const std::int64_t turn = turn_of_last_frame(interval);
    return window.clip.empty() || turn == window.looked_at_turn ? -1 : turn;
}

bool looks_at(const Window &window) { return turn_wanted(window) >= 0; }

void look_at(Window &window, bool front, bool own) {
    const std::int64_t turn = turn_wanted(window);
    if (turn < 0)
        return;
    Board *const b = board();
    PictureFacts facts;
    gl::Source source;
    pixmpi::Tile turned;
    {
        const auto lock = lock_geometry();
        window.looked_at_turn = turn;
        facts = facts_of(window);
        facts.frame = frames_here().complete + !state().sharing.late;
        turned.rotation = own ? tile_of(window).rotation : 0;
        const pixmpi::Rect &clip = window.clip, &rendered = window.rendered, &real = window.on_screen;
        source = own ? gl::Source{0, 0, real.width, real.height, real.width, real.height}
                     : gl::Source{clip.x - rendered.x, rendered.bottom() - clip.bottom(),
                                  clip.width,          clip.height,
                                  rendered.width,      rendered.height};
    }
    std::size_t index = 0;
    const std::size_t bytes = std::size_t{3} * facts.columns * facts.rows;
    Slot *const slot = bytes <= live_bytes ? take_slot(*b, facts.window, index) : nullptr;
    if (!slot)
        return;
    turned.rect = {0, 0, facts.columns, facts.rows};
    const std::span<std::byte> pixels{b->live_pixels(index), bytes};
    gl::read_smaller(source, turned.framebuffer_width(), turned.framebuffer_height(), front, pixels);
    if (turned.rotation)
        set_upright(turned, pixels);
    slot->facts = facts;
    slot->state.store(Slot::filled, std::memory_order_release);
}

bool still_wanted() { return still_request != 0; }

bool still_is_of(std::int64_t frame) { return frame == still_frame; }

bool still_due(std::int64_t complete) {
    const bool draws = (role() == Role::drawing) == state().drawn_beside;
    return still_wanted() && draws && complete >= still_frame;
}

void put_still(const std::vector<TilePicture> &pictures) {
    Board *const b = board();
    std::uint32_t expected = Slot::free;
    if (!b || pictures.empty() || !b->still.state.compare_exchange_strong(expected, Slot::writing))
        return; // the agent has the last one still: the next frame will do
    const int request = still_request.exchange(0);
    const TilePicture &tile = pictures.front();
    const pixmpi::Rect &place = tile.wall.tiles[comm::rank()].rect;
    const Picture &picture = tile.picture;
    if (picture.rgb.size() > b->still_bytes)
        return b->still.state.store(Slot::free);
    std::memcpy(b->still_pixels(), picture.rgb.data(), picture.rgb.size());
    b->still.facts = {.window = state().first,
                      .top = state().first,
                      .x = place.x,
                      .y = place.y,
                      .width = place.width,
                      .height = place.height,
                      .wall_width = tile.wall.width,
                      .wall_height = tile.wall.height,
                      .columns = picture.width,
                      .rows = picture.height,
                      .request = request,
                      .frame = state().complete_frames()};
    b->still.state.store(Slot::filled, std::memory_order_release);
}

} // namespace mpiglut::console
