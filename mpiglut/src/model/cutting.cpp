#include "model/cutting.h"

#include "base/state.h"
#include "clock/role.h"
#include "gl/context/context.h"
#include "gl/draw/cut.h"
#include "gl/draw/habits.h"
#include "gl/present/present.h"
#include "model/behind.h"
#include "model/window_system.h"
#include "run/report.h"
#include "sync/comm.h"

#include <algorithm>
#include <array>
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

struct Cutting {
    Phase phase = Phase::off;
    int margin = 0;
    int compared = 0; ///< frames of this phase
    int frames = 0;   ///< since the last that was compared
    int turn = 0;     ///< of the judges
    std::size_t noise = 0;
    int width = 0, height = 0;
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

/// How many blocks differ.
std::size_t apart(std::span<const std::byte> a, std::span<const std::byte> b) {
    std::vector<std::uint16_t> first(a.size() / sizeof(std::uint16_t)), second(first.size());
    std::memcpy(first.data(), a.data(), a.size());
    std::memcpy(second.data(), b.data(), a.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i + 3 <= first.size(); i += 3) {
        bool differs = false;
        for (std::size_t channel = i; channel < i + 3; ++channel)
            differs = differs || std::abs(int{first[channel]} - int{second[channel]}) > most_apart;
        count += differs;
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
        std::memcpy(&samples, all[rank].data(), std::min(sizeof samples, all[rank].size()));
        return static_cast<double>(samples);
    };
    const double whole = samples_of(window.whole_on);
    for (std::size_t rank = 0; state().stats && whole > 0 && rank < all.size(); ++rank)
        if (static_cast<int>(rank) != window.whole_on && !all[rank].empty())
            state().stats->add_drawn(static_cast<int>(rank), samples_of(rank) / whole);
}

/// How many blocks of the frame differ from what the judge has drawn; nothing if the ranks have not come together, or
/// the judge is dead.
std::optional<std::size_t> compare(const Window &window) {
    const std::vector<std::size_t> sizes = sizes_of(window);
    std::vector<comm::Bytes> all;
    if (!comm::all_gather(comm::Collective::agree, own_sums(window), sizes, all))
        return std::nullopt;
    const comm::Bytes &judge = all[window.whole_on];
    if (judge.empty())
        return std::nullopt;
    std::size_t count = 0, at = sizeof(std::uint64_t);
    for (int rank = 0; rank < comm::size(); ++rank) {
        if (rank == window.whole_on)
            continue;
        const std::size_t bytes = sizes[rank] - sizeof(std::uint64_t);
        if (all[rank].size() == sizes[rank])
            count += apart(std::span(all[rank]).subspan(sizeof(std::uint64_t)), std::span(judge).subspan(at, bytes));
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

/// Whether this rank's frame went on with an earlier one, or any other's did.
void end_habits() {
    gl::watched = false;
    const std::array<std::byte, 1> mine{static_cast<std::byte>(gl::kept_pixels())};
    std::vector<comm::Bytes> all;
    if (!comm::all_gather(comm::Collective::agree, mine, std::vector<std::size_t>(comm::size(), 1), all))
        return draw_whole("the ranks have parted ways");
    if (!all_can_present())
        return draw_whole("the window's pixel format cannot be drawn off screen");
    for (const comm::Bytes &kept : all)
        if (!kept.empty() && kept[0] != std::byte{0})
            return draw_whole(std::string("the program goes on with pixels of an earlier frame: ") +
                              gl::text(static_cast<gl::Kept>(kept[0])));
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
    const std::optional<std::size_t> differing = compare(window);
    if (!differing)
        return draw_whole("the ranks have parted ways");
    c.frames = 0;
    ++c.compared;
    std::size_t all = 0;
    for (const Rect &rect : window.shown_by)
        all += Blocks(rect).count();
    if (c.phase == Phase::noise) {
        c.noise = std::max(c.noise, *differing);
        if (c.noise > all / noisy)
            return draw_whole("tiles and one window show different pixels also without a cut, so none can be checked");
        if (c.compared == judges)
            begin(Phase::trial);
    } else if (*differing > 2 * c.noise) {
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
    if (c.phase == Phase::habits)
        end_habits();
    else if (window.whole_on >= 0 && !resized)
        judge(window);
    else if (c.phase == Phase::waiting && saw)
        begin(Phase::habits);
    if (resized && c.phase != Phase::off)
        begin(Phase::waiting);
    const char *const why = c.phase > Phase::waiting ? reason_against(window) : nullptr;
    if (why)
        draw_whole(why);
}

void prepare_next_cut(Window &window) {
    Cutting &c = cutting();
    if (!gl::looks_at_targets || role() != Role::ticks)
        return;
    set_judge(window, next_judge());
    gl::watched = c.phase == Phase::habits;
    gl::cut_targets(c.phase >= Phase::trial ? c.margin : -1, window.whole_on == comm::rank());
    gl::count_drawn(window.whole_on >= 0);
}

} // namespace mpiglut
