#include "captures.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::array<std::pair<const char *, const char *>, 4> types{{{".png", "image/png"},
                                                                      {".avi", "video/x-msvideo"},
                                                                      {".jsonl", "application/jsonl"},
                                                                      {".toml", "application/toml"}}};

bool is_ours(const std::string &name) {
    return name.starts_with("wall-") &&
           std::ranges::any_of(types, [&](const auto &type) { return name.ends_with(type.first); }) &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos &&
           name.find("..") == std::string::npos;
}

} // namespace

std::string Captures::new_name(const std::string &ending) {
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 64> text;
    const std::size_t length = std::strftime(text.data(), text.size(), "wall-%Y%m%d-%H%M%S-", &parts);
    for (;;) {
        const std::string count = std::to_string(++count_);
        const std::string name = std::string(text.data(), length) +
                                 std::string(count.size() < 3 ? 3 - count.size() : 0, '0') + count + ending;
        if (!std::filesystem::exists(path(name), ignored))
            return name;
    }
}

std::vector<std::string> Captures::names() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder_, error))
        if (const std::string name = entry.path().filename(); is_ours(name))
            names.push_back(name);
    std::ranges::sort(names, std::greater());
    return names;
}

std::string Captures::read(const std::string &name) const {
    if (!is_ours(name))
        return {};
    std::ifstream stream(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

const char *type_of(const std::string &name) {
    const auto found = std::ranges::find_if(types, [&](const auto &type) { return name.ends_with(type.first); });
    return found == types.end() ? "application/octet-stream" : found->second;
}

} // namespace mpiglut::walld
