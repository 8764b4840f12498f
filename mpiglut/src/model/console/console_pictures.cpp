// Pictures for the operator: small ones of windows, from time to time, and screenshots of the wall.
#include "model/console/console.h"

#include "base/process.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "gl/pixel/shrink.h"
#include "run/dashboard.h"
#include "sync/comm.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace mpiglut::console {
namespace {

std::atomic<std::int32_t> still_request{0}; ///< 0: none is wanted
std::atomic<std::int64_t> still_frame{0};   ///< the frame that it shows, or a later one

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

/// Of what a rectangle of the wall shows.
PictureFacts facts_of(const pixmpi::Wall &wall, const pixmpi::Rect &clip) {
    const int longest = std::max({wall.width, wall.height, 1});
    // Corners are rounded, not sizes: pictures of neighbours meet.
    const auto scaled = [longest](int at) {
        return longest <= longest_live_side ? at : static_cast<int>(std::int64_t{at} * longest_live_side / longest);
    };
    PictureFacts facts;
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

PictureFacts facts_of(const Window &window) {
    PictureFacts facts = facts_of(wall_of(window), window.clip);
    const Window *top = &window;
    while (top->parent && state().window(top->parent))
        top = state().window(top->parent);
    facts.window = window.id;
    facts.top = top->id;
    find_layer(state().top_level, window.id, facts.layer);
    return facts;
}

/// Each pixel is the mean of what it stands for.
void make_smaller(const Picture &from, int columns, int rows, std::span<std::byte> to) {
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const int left = column * from.width / columns,
                      right = std::max((column + 1) * from.width / columns, left + 1), top = row * from.height / rows,
                      bottom = std::max((row + 1) * from.height / rows, top + 1);
            std::array<int, 3> sum{};
            for (int y = top; y < bottom; ++y)
                for (int x = left; x < right; ++x)
                    for (std::size_t i = 0; i < sum.size(); ++i)
                        sum[i] += from.rgb[3 * (static_cast<std::size_t>(y) * from.width + x) + i];
            for (std::size_t i = 0; i < sum.size(); ++i)
                to[3 * (static_cast<std::size_t>(row) * columns + column) + i] =
                    static_cast<std::byte>(sum[i] / ((right - left) * (bottom - top)));
        }
}

/// The turn of what was put last; -1: nothing.
std::int64_t turn_of_below = -1;

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

/// Time falls into turns of this length, the same on all hosts with equal clocks. Ranks end a frame together and come
/// to the end of the next one apart, so the last frame's end says which turn it is: all of them look at the same frame,
/// and wait for each other's reading once and not rank by rank. A wall that was idle goes by now.
std::int64_t turn_of_last_frame(std::int64_t interval) {
    const std::int64_t since = clock::real_monotonic_ns() - state().times.last_frame_ns;
    return (clock::real_realtime_ns() - (since < interval ? since : 0)) / interval;
}

/// A slot that is not being read: the one with this window's last picture, else a free one, else the one with the
/// oldest picture.
PictureSlot *claim_slot(Dashboard &dashboard, int window, std::size_t &index) {
    const auto claim = [&](std::uint32_t state, const auto &fits) {
        std::size_t best = live_slots;
        for (std::size_t i = 0; i < live_slots; ++i)
            if (dashboard.live[i].state == state && fits(dashboard.live[i].facts) &&
                (best == live_slots || dashboard.live[i].facts.frame < dashboard.live[best].facts.frame))
                best = i;
        index = best;
        return best < live_slots && dashboard.live[best].state.compare_exchange_strong(state, PictureSlot::writing);
    };
    const auto any = [](const PictureFacts &) { return true; };
    const bool claimed =
        claim(PictureSlot::filled, [window](const PictureFacts &facts) { return facts.window == window; }) ||
        claim(PictureSlot::free, any) || claim(PictureSlot::filled, any);
    return claimed ? &dashboard.live[index] : nullptr;
}

/// The turn of the picture that the operator still wants of this window; -1: none.
std::int64_t turn_wanted(const Window &window) {
    const std::int64_t interval = live_interval();
    if (interval <= 0 || !is_rank() || comm::catching_up())
        return -1;
    const auto lock = lock_geometry();
    const std::int64_t turn = turn_of_last_frame(interval);
    return window.clip.empty() || turn == window.looked_at_turn ? -1 : turn;
}

} // namespace

std::int64_t live_interval() { return dashboard() ? dashboard()->live_interval_ns.load(std::memory_order_relaxed) : 0; }

bool looks_at(const Window &window) { return turn_wanted(window) >= 0; }

void look_at(Window &window, bool front, bool own) {
    const std::int64_t turn = turn_wanted(window);
    if (turn < 0)
        return;
    Dashboard *const b = dashboard();
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
    PictureSlot *const slot = bytes <= live_bytes ? claim_slot(*b, facts.window, index) : nullptr;
    if (!slot)
        return;
    turned.rect = {0, 0, facts.columns, facts.rows};
    const std::span<std::byte> pixels{b->live_pixels(index), bytes};
    gl::read_smaller(source, turned.framebuffer_width(), turned.framebuffer_height(), front, pixels);
    if (turned.rotation)
        set_upright(turned, pixels);
    slot->facts = facts;
    slot->state.store(PictureSlot::filled, std::memory_order_release);
}

bool looks_below() {
    const std::int64_t interval = live_interval();
    return interval > 0 && is_rank() && !comm::catching_up() && turn_of_last_frame(interval) != turn_of_below;
}

bool put_below(const Picture &tile) {
    const pixmpi::Wall &wall = state().plan;
    PictureFacts facts = facts_of(wall, wall.tiles[comm::rank()].rect);
    facts.layer = -1;
    facts.frame = state().complete_frames();
    std::size_t index = 0;
    const std::size_t bytes = std::size_t{3} * facts.columns * facts.rows;
    PictureSlot *const slot = bytes <= live_bytes ? claim_slot(*dashboard(), facts.window, index) : nullptr;
    if (!slot)
        return false;
    turn_of_below = turn_of_last_frame(live_interval());
    make_smaller(tile, facts.columns, facts.rows, {dashboard()->live_pixels(index), bytes});
    slot->facts = facts;
    slot->state.store(PictureSlot::filled, std::memory_order_release);
    return true;
}

void want_still(int request, std::int64_t frame) {
    const State &s = state();
    const std::int64_t next = (s.drawn_beside ? s.frames_beside : s.frames).complete + 1;
    still_frame = std::max(next, frame);
    still_request = request;
}

bool still_wanted() { return still_request != 0; }

bool still_is_of(std::int64_t frame) { return frame == still_frame; }

bool still_due(std::int64_t complete) {
    const bool draws = (role() == Role::drawing) == state().drawn_beside;
    return still_wanted() && draws && complete >= still_frame;
}

void put_still(const std::vector<TilePicture> &pictures) {
    Dashboard *const b = dashboard();
    std::uint32_t expected = PictureSlot::free;
    if (!b || pictures.empty() || !b->still.state.compare_exchange_strong(expected, PictureSlot::writing))
        return; // the agent has the last one still: the next frame will do
    const int request = still_request.exchange(0);
    const TilePicture &tile = pictures.front();
    const pixmpi::Rect &place = tile.wall.tiles[comm::rank()].rect;
    const Picture &picture = tile.picture;
    if (picture.rgb.size() > b->still_bytes)
        return b->still.state.store(PictureSlot::free);
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
    b->still.state.store(PictureSlot::filled, std::memory_order_release);
}

} // namespace mpiglut::console
