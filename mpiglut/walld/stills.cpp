#include "stills.h"
#include "picture_coding.h"

#include <algorithm>
#include <array>

namespace mpiglut::walld {

namespace {

constexpr int longest_side = 1 << 16;
constexpr std::int64_t most_pixels = 1 << 28;

} // namespace

std::optional<PictureFacts> facts_from(const std::vector<std::int64_t> &numbers) {
    if (numbers.size() != 13 ||
        std::ranges::any_of(numbers, [](std::int64_t n) { return n < -(1 << 24) || n > 1ll << 48; }))
        return std::nullopt;
    std::array<std::int32_t, 12> small;
    for (std::size_t i = 0; i < small.size(); ++i) {
        if (numbers[i] > 1 << 30)
            return std::nullopt;
        small[i] = static_cast<std::int32_t>(numbers[i]);
    }
    const auto [window, top, layer, x, y, width, height, wall_width, wall_height, columns, rows, request] = small;
    return PictureFacts{window,     top,         layer,   x,    y,       width,      height,
                        wall_width, wall_height, columns, rows, request, numbers[12]};
}

int Stills::begin(std::set<int> ranks, Done done) {
    waiting_[++last_] = {std::move(ranks), std::move(done), {}};
    return last_;
}

void Stills::add(int rank, const PictureFacts &facts, std::string png) {
    const auto found = waiting_.find(facts.request);
    if (found == waiting_.end())
        return;
    found->second.parts[rank] = {facts, std::move(png)};
    found->second.missing.erase(rank);
    finish_complete();
}

void Stills::lose(int rank) {
    for (auto &[number, waiting] : waiting_)
        waiting.missing.erase(rank);
    finish_complete();
}

/// One by one: who hears of a picture may ask for the next.
void Stills::finish_complete() {
    const auto is_complete = [](const auto &one) { return one.second.missing.empty() && !one.second.parts.empty(); };
    for (auto found = waiting_.end(); (found = std::ranges::find_if(waiting_, is_complete)) != waiting_.end();) {
        const auto complete = waiting_.extract(found);
        complete.mapped().done(put_together(complete.mapped()));
    }
}

Still Stills::put_together(const Waiting &waiting) {
    Still still;
    const PictureFacts &first = waiting.parts.begin()->second.facts;
    if (first.wall_width <= 0 || first.wall_height <= 0 || first.wall_width > longest_side ||
        first.wall_height > longest_side || std::int64_t{first.wall_width} * first.wall_height > most_pixels) {
        still.error = "the wall's size, " + std::to_string(first.wall_width) + "x" + std::to_string(first.wall_height) +
                      ", is none that a picture can have";
        return still;
    }
    still.frame = first.frame;
    still.picture = Picture(first.wall_width, first.wall_height);
    for (auto part = waiting.parts.rbegin(); part != waiting.parts.rend();
         ++part) { // the lower rank wins, as in --capture
        const auto &[facts, png] = part->second;
        if (const auto tile = launcher::decode_png(png, facts.columns, facts.rows))
            paste(still.picture, *tile, facts.x, facts.y);
    }
    return still;
}

void Stills::give_up(int request, const std::string &why) {
    if (const auto found = waiting_.find(request); found != waiting_.end())
        waiting_.extract(found).mapped().done({{}, 0, why});
}

void Stills::give_up_all(const std::string &why) {
    while (!waiting_.empty())
        give_up(waiting_.begin()->first, why);
}

} // namespace mpiglut::walld
