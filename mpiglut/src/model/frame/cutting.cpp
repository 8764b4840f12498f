#include "model/frame/cutting.h"

#include "base/state.h"
#include "clock/role.h"
#include "gl/context/context.h"
#include "gl/context/off_screen.h"
#include "gl/draw/cut.h"
#include "gl/draw/habits.h"
#include "gl/present/present.h"
#include "model/window/behind.h"
#include "model/window/window_system.h"
#include "run/report.h"
#include "sync/comm.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mpiglut {
namespace {

using pixmpi::Rect;

constexpr int block = 8;          ///< pixels are compared as sums of so many by so many
constexpr int most_apart = 32;    ///< of such a sum in a channel: half a level on the average
constexpr std::size_t noisy = 64; ///< of so many blocks one may differ without any cut
constexpr int judges = 2;         ///< one after the other: each tile is compared at least once
constexpr int frames_between = 64;

enum class Phase {
    off,
    waiting, ///< until there is something to cut
    habits,  ///< in this frame the program is watched
    noise,   ///< nothing is cut, and pictures are compared
    trial,   ///< cut, and compared
    cut,     ///< one frame in many is compared
};

/// How many blocks differ.
struct Apart {
    std::size_t all = 0, border = 0; ///< in the first and last rows and columns of tiles, which a cut reaches first
};

struct Cutting {
    Phase phase = Phase::off;
    int margin = 0;
    int compared = 0; ///< frames of this phase
    int frames = 0;   ///< since the last that was compared
    int turn = 0;     ///< of the judges
    Apart noise;
    int width = 0, height = 0;
    bool asked = false; ///< whether all ranks can look at targets
};

Cutting &cutting() {
    static Cutting the_cutting;
    return the_cutting;
}

void tell(const std::string &text) {
    if (comm::rank() == 0)
        report_once(Report::note, "--cut: " + text);
}

/// For good.
void draw_whole(const std::string &why) {
    cutting().phase = Phase::off;
    gl::refuse_cut("it was tried");
    gl::watched = false;
    if (state().stats)
        state().stats->forget_drawn();
    tell("framebuffer objects are drawn whole on each tile, because " + why);
}

const char *reason_against(const Window &window) {
    const State &s = state();
    return s.windows.size() != 1                    ? "the program draws to several windows"
           : s.drawn_beside || gl::is_handed_over() ? "the program draws in another thread"
           : !window.double_buffered                ? "the window has no back buffer"
           : window.stereo                          ? "the window has pictures for two eyes"
           : s.counts_samples                       ? "the program counts samples of the window"
                                                    : gl::no_cut();
}

// --- pictures as numbers -------------------------------------------------------------------------------------------

struct Blocks {
    int columns, rows;
    explicit Blocks(const Rect &rect)
        : columns((rect.width + block - 1) / block), rows((rect.height + block - 1) / block) {}
    std::size_t count() const { return static_cast<std::size_t>(columns) * rows; }
    bool is_border(std::size_t i) const {
        const int x = static_cast<int>(i) % columns, y = static_cast<int>(i) / columns;
        return x == 0 || y == 0 || x == columns - 1 || y == rows - 1;
    }
    std::size_t border() const {
        return count() - static_cast<std::size_t>(std::max(columns - 2, 0)) * std::max(rows - 2, 0);
    }
    std::size_t bytes() const { return 3 * count() * sizeof(std::uint16_t); }
};

/// The sums of what `picture`, which shows `shown` of the wall, has of `rect`.
void add_sums(const Picture &picture, const Rect &shown, const Rect &rect, comm::Bytes &bytes) {
    const Blocks blocks(rect);
    std::vector<std::uint16_t> sums(3 * blocks.count());
    for (int y = 0; y < rect.height; ++y) {
        const std::size_t row = static_cast<std::size_t>(rect.y - shown.y + y) * picture.width;
        for (int x = 0; x < rect.width; ++x) {
            const unsigned char *pixel = &picture.rgb[3 * (row + rect.x - shown.x + x)];
            std::uint16_t *sum = &sums[3 * (static_cast<std::size_t>(y / block) * blocks.columns + x / block)];
            for (int channel = 0; channel < 3; ++channel)
                sum[channel] = static_cast<std::uint16_t>(sum[channel] + pixel[channel]);
        }
    }
    const auto all = std::as_bytes(std::span(sums));
    bytes.insert(bytes.end(), all.begin(), all.end());
}

/// Of two pictures of `rect`.
Apart apart(const Rect &rect, std::span<const std::byte> a, std::span<const std::byte> b) {
    if (a.empty())
        return {};
    std::vector<std::uint16_t> first(a.size() / sizeof(std::uint16_t)), second(first.size());
    std::memcpy(first.data(), a.data(), a.size());
    std::memcpy(second.data(), b.data(), a.size());
    const Blocks blocks(rect);
    Apart count;
    for (std::size_t i = 0; i < blocks.count(); ++i) {
        bool differs = false;
        for (std::size_t channel = 3 * i; channel < 3 * i + 3; ++channel)
            differs = differs || std::abs(int{first[channel]} - int{second[channel]}) > most_apart;
        count.all += differs;
        count.border += differs && blocks.is_border(i);
    }
    return count;
}

/// By rank: what it sends, its samples first.
std::vector<std::size_t> sizes_of(const Window &window) {
    std::vector<std::size_t> sizes(comm::size(), sizeof(std::uint64_t));
    for (int rank = 0; rank < comm::size(); ++rank)
        if (rank != window.whole_on) {
            const std::size_t bytes = Blocks(window.shown_by[rank]).bytes();
            sizes[rank] += bytes;
            sizes[window.whole_on] += bytes;
        }
    return sizes;
}

comm::Bytes own_sums(const Window &window) {
    const std::uint64_t samples = gl::drawn_samples();
    const auto begin = std::as_bytes(std::span(&samples, 1));
    comm::Bytes mine(begin.begin(), begin.end());
    const Picture picture = gl::read_part(window.surface, false);
    for (int rank = 0; rank < comm::size(); ++rank)
        if (comm::rank() == window.whole_on ? rank != window.whole_on : rank == comm::rank())
            add_sums(picture, window.rendered, window.shown_by[rank], mine);
    return mine;
}

void note_samples(const Window &window, const std::vector<comm::Bytes> &all) {
    const auto samples_of = [&all](std::size_t rank) {
        std::uint64_t samples = 0;
        if (all[rank].size() >= sizeof samples)
            std::memcpy(&samples, all[rank].data(), sizeof samples);
        return static_cast<double>(samples);
    };
    const double whole = samples_of(window.whole_on);
    for (std::size_t rank = 0; state().stats && whole > 0 && rank < all.size(); ++rank)
        if (static_cast<int>(rank) != window.whole_on && !all[rank].empty())
            state().stats->add_drawn(static_cast<int>(rank), samples_of(rank) / whole);
}

/// How many blocks of the frame differ from what the judge has drawn; nothing if the ranks have not come together, or
/// the judge is dead.
std::optional<Apart> compare(const Window &window) {
    const std::vector<std::size_t> sizes = sizes_of(window);
    std::vector<comm::Bytes> all;
    if (!comm::all_gather(comm::Collective::agree, own_sums(window), sizes, all))
        return std::nullopt;
    const comm::Bytes &judge = all[window.whole_on];
    if (judge.empty())
        return std::nullopt;
    Apart count;
    std::size_t at = sizeof(std::uint64_t);
    for (int rank = 0; rank < comm::size(); ++rank) {
        if (rank == window.whole_on)
            continue;
        const std::size_t bytes = sizes[rank] - sizeof(std::uint64_t);
        if (all[rank].size() == sizes[rank]) {
            const Apart one = apart(window.shown_by[rank], std::span(all[rank]).subspan(sizeof(std::uint64_t)),
                                    std::span(judge).subspan(at, bytes));
            count.all += one.all;
            count.border += one.border;
        }
        at += bytes;
    }
    if (cutting().phase != Phase::noise)
        note_samples(window, all);
    return count;
}

// --- phases --------------------------------------------------------------------------------------------------------

void begin(Phase phase) {
    Cutting &c = cutting();
    c.phase = phase;
    c.compared = c.frames = 0;
}

/// The judge draws the whole window.
bool fits(const Window &window) {
    const gl::Context *c = gl::current();
    const gl::Part &part = window.surface.part;
    return c && part.full_width <= c->limits.width && part.full_height <= c->limits.height &&
           gl::fits_off_screen(part.full_width, part.full_height);
}

/// Whether this rank's frame went on with an earlier one, or any other's did.
void end_habits(const Window &window) {
    gl::watched = false;
    std::vector<gl::Kept> all;
    if (!comm::all_values(comm::Collective::agree, gl::kept_pixels(), all))
        return draw_whole("the ranks have parted ways");
    if (!all_can_present())
        return draw_whole("the window's pixel format cannot be drawn off screen");
    if (!comm::all_agree(fits(window)))
        return draw_whole("the whole window is larger than what OpenGL can draw to on some rank");
    for (const gl::Kept kept : all)
        if (kept != gl::Kept::nothing)
            return draw_whole(std::string("the program goes on with pixels of an earlier frame: ") + gl::text(kept));
    begin(Phase::noise);
}

void grow(const Window &window) {
    Cutting &c = cutting();
    const int margin = std::max(2 * c.margin, usual_cut);
    if (2 * margin > std::max(window.surface.part.full_width, window.surface.part.full_height))
        return draw_whole("tiles show other pixels with a margin of " + std::to_string(c.margin));
    tell("tiles show other pixels with a margin of " + std::to_string(c.margin) + "; " + std::to_string(margin) +
         " is tried");
    c.margin = margin;
    if (state().stats)
        state().stats->forget_drawn();
    begin(Phase::trial);
}

void judge(const Window &window) {
    Cutting &c = cutting();
    const std::optional<Apart> differing = compare(window);
    if (!differing)
        return draw_whole("the ranks have parted ways");
    c.frames = 0;
    ++c.compared;
    Apart all;
    for (const Rect &rect : window.shown_by) {
        all.all += Blocks(rect).count();
        all.border += Blocks(rect).border();
    }
    if (c.phase == Phase::noise) {
        c.noise = {std::max(c.noise.all, differing->all), std::max(c.noise.border, differing->border)};
        if (c.noise.all > all.all / noisy || c.noise.border > all.border / noisy)
            return draw_whole("tiles and one window show different pixels also without a cut, so none can be checked");
        if (c.compared == judges)
            begin(Phase::trial);
    } else if (differing->all > 2 * c.noise.all || differing->border > 2 * c.noise.border) {
        grow(window);
    } else if (c.phase == Phase::trial && c.compared == judges) {
        tell("framebuffer objects are drawn for the tile and " + std::to_string(c.margin) + " pixels around it");
        begin(Phase::cut);
    }
}

/// Who draws the next frame whole; -1: nobody.
int next_judge() {
    Cutting &c = cutting();
    if (c.phase < Phase::noise || (c.phase == Phase::cut && ++c.frames < frames_between))
        return -1;
    std::vector<int> living;
    for (int rank = 0; rank < comm::size(); ++rank)
        if (std::ranges::find(state().dead, rank) == state().dead.end())
            living.push_back(rank);
    const std::size_t count = living.size(), turn = static_cast<std::size_t>(c.turn++);
    const std::size_t step = c.phase == Phase::cut ? 1 : std::max<std::size_t>(count / 2, 1);
    return count > 1 ? living[turn * step % count] : -1;
}

void set_judge(Window &window, int rank) {
    const int before = std::exchange(window.whole_on, rank);
    if (before == rank)
        return;
    with_current(window, [&] {
        const bool was = before == comm::rank(), is = rank == comm::rank();
        const bool presented = window.behind || window.even || tile_of(window).rotation != 0;
        if (was && !is && !presented)
            gl::remove_presenter(window);
        place(window);
        if (is)
            gl::add_presenter(window);
    });
}

std::vector<Rect> tiles_of(const Window &window) {
    const Rect whole = wall_rect(window);
    std::vector<Rect> tiles;
    for (int rank = 0; rank < comm::size(); ++rank) {
        const Rect &has = (rank == window.whole_on ? window.shown_by : window.rendered_by)[rank];
        tiles.push_back({has.x - whole.x, whole.bottom() - has.bottom(), has.width, has.height});
    }
    return tiles;
}

} // namespace

void prepare_cutting() {
    if (state().options.cut < 0 || comm::size() == 1)
        return;
    gl::looks_at_targets = true;
    cutting().margin = state().options.cut;
    cutting().phase = Phase::waiting;
}

void look_at_cut_frame(Window &window) {
    Cutting &c = cutting();
    if (c.phase == Phase::off || role() != Role::ticks)
        return;
    const gl::Part &part = window.surface.part;
    const bool resized = c.width != part.full_width || c.height != part.full_height;
    c.width = part.full_width;
    c.height = part.full_height;
    const bool saw = gl::saw_targets();
    if (!std::exchange(c.asked, true) && !comm::all_agree(gl::current() && gl::current()->limits.named_queries))
        return draw_whole("OpenGL cannot be asked for their sizes on all ranks (OpenGL 4.5, or "
                          "GL_ARB_direct_state_access)");
    if (c.phase == Phase::habits)
        end_habits(window);
    else if (window.whole_on >= 0 && !resized)
        judge(window);
    else if (c.phase == Phase::waiting && saw)
        begin(Phase::habits);
    if (resized && c.phase != Phase::off)
        begin(Phase::waiting);
    const char *const why = c.phase > Phase::waiting || (c.phase == Phase::waiting && (saw || gl::no_cut()))
                                ? reason_against(window)
                                : nullptr;
    if (why)
        draw_whole(why);
}

void prepare_next_cut(Window &window) {
    Cutting &c = cutting();
    if (!gl::looks_at_targets || role() != Role::ticks)
        return;
    set_judge(window, next_judge());
    gl::watched = c.phase == Phase::habits;
    gl::cut_targets(c.phase >= Phase::trial ? c.margin : -1, window.whole_on == comm::rank(), tiles_of(window),
                    {0, 0, window.surface.part.full_width, window.surface.part.full_height});
    gl::count_drawn(window.whole_on >= 0);
}

} // namespace mpiglut
