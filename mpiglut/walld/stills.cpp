#include "stills.h"
#include "picture_coding.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace mpiglut::walld {

namespace {

constexpr int longest_side = 1 << 16;
constexpr std::int64_t most_pixels = 1 << 28;

/// wall-20260102-030405-001.png: nothing in it comes from outside.
std::string new_name(int number) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 64> text;
    const std::size_t length = std::strftime(text.data(), text.size(), "wall-%Y%m%d-%H%M%S", &parts);
    std::string count = std::to_string(number);
    return std::string(text.data(), length) + "-" + std::string(count.size() < 3 ? 3 - count.size() : 0, '0') + count +
           ".png";
}

bool is_ours(const std::string &name) {
    return name.starts_with("wall-") && name.ends_with(".png") &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos &&
           name.find("..") == std::string::npos;
}

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

int Stills::begin(std::size_t tiles, Done done) {
    waiting_[++last_] = {tiles, std::move(done), {}};
    return last_;
}

void Stills::add(int rank, const PictureFacts &facts, std::string png) {
    const auto found = waiting_.find(facts.request);
    if (found == waiting_.end())
        return;
    found->second.parts[rank] = {facts, std::move(png)};
    if (found->second.parts.size() < found->second.tiles)
        return;
    const auto complete = waiting_.extract(found);
    Still still = put_together(complete.mapped());
    complete.mapped().done(still);
}

Still Stills::put_together(const Waiting &waiting) const {
    Still still;
    const PictureFacts &first = waiting.parts.begin()->second.facts;
    if (first.wall_width <= 0 || first.wall_height <= 0 || first.wall_width > longest_side ||
        first.wall_height > longest_side || std::int64_t{first.wall_width} * first.wall_height > most_pixels) {
        still.error = "the wall's size, " + std::to_string(first.wall_width) + "x" + std::to_string(first.wall_height) +
                      ", is none that a picture can have";
        return still;
    }
    Picture whole(first.wall_width, first.wall_height);
    for (auto part = waiting.parts.rbegin(); part != waiting.parts.rend();
         ++part) { // the lower rank wins, as in --capture
        const auto &[facts, png] = part->second;
        if (const auto tile = launcher::decode_png(png, facts.columns, facts.rows))
            paste(whole, *tile, facts.x, facts.y);
    }
    still.png = launcher::encode_png(std::as_bytes(std::span(whole.rgb)), whole.width, whole.height);
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    still.file = new_name(first.request);
    std::ofstream file(folder_ + "/" + still.file, std::ios::binary);
    if (!(file << still.png && file.flush()))
        still.error = "'" + folder_ + "/" + still.file + "' cannot be written";
    return still;
}

void Stills::give_up(int request, const std::string &why) {
    if (const auto found = waiting_.find(request); found != waiting_.end())
        waiting_.extract(found).mapped().done({{}, {}, why});
}

void Stills::give_up_all(const std::string &why) {
    while (!waiting_.empty())
        give_up(waiting_.begin()->first, why);
}

std::vector<std::string> Stills::files() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder_, error))
        if (const std::string name = entry.path().filename(); is_ours(name))
            names.push_back(name);
    std::ranges::sort(names, std::greater());
    return names;
}

std::string Stills::read(const std::string &file) const {
    if (!is_ours(file))
        return {};
    std::ifstream stream(folder_ + "/" + file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace mpiglut::walld
