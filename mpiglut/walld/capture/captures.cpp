#include "capture/captures.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <unistd.h>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::array<std::pair<const char *, const char *>, 6> types{{{".png", "image/png"},
                                                                      {".mp4", "video/mp4"},
                                                                      {".webm", "video/webm"},
                                                                      {".avi", "video/x-msvideo"},
                                                                      {".jsonl", "application/jsonl"},
                                                                      {".toml", "application/toml"}}};

constexpr std::uint64_t longest_text = 256u << 20;

bool is_ours(const std::string &name) {
    return name.starts_with("wall-") &&
           std::ranges::any_of(types, [&](const auto &type) { return name.ends_with(type.first); }) &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos &&
           name.find("..") == std::string::npos;
}

} // namespace

OwnFile Captures::create(const std::string &ending, std::string &name, std::string &error) {
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    if (bytes() >= limit_) {
        error = "captures: '" + folder_ + "' has " + std::to_string(limit_ >> 20) + " MiB of them: remove some";
        return {};
    }
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 64> text;
    const std::size_t length = std::strftime(text.data(), text.size(), "wall-%Y%m%d-%H%M%S-", &parts);
    for (;;) {
        const std::string count = std::to_string(++count_);
        name = std::string(text.data(), length) + std::string(count.size() < 3 ? 3 - count.size() : 0, '0') + count +
               ending;
        if (OwnFile made = OwnFile::create(folder_, name, is_recording(name) ? 0600 : 0666)) {
            ++version_;
            return made;
        }
        if (errno == EEXIST)
            continue;
        error = "captures: '" + path(name) + "' cannot be written: " + std::strerror(errno);
        return {};
    }
}

std::string Captures::remove(const std::string &name) {
    if (!is_ours(name) || ::unlink(path(name).c_str()) != 0)
        return "'" + path(name) + "' cannot be deleted: " + std::strerror(is_ours(name) ? errno : EPERM);
    ++version_;
    return {};
}

std::vector<std::string> Captures::names() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder_, error))
        if (const std::string name = entry.path().filename(); open(name))
            names.push_back(name);
    std::ranges::sort(names, std::greater());
    return names;
}

std::uint64_t Captures::bytes() const {
    std::uint64_t sum = 0;
    for (const std::string &name : names())
        sum += open(name).size();
    return sum;
}

OwnFile Captures::open(const std::string &name) const {
    return is_ours(name) ? OwnFile::open(folder_, name) : OwnFile();
}

std::string Captures::read(const std::string &name) const {
    const OwnFile file = open(name);
    return file && file.size() <= longest_text ? file.read_at(0, file.size()) : std::string();
}

bool is_recording(const std::string &name) { return name.ends_with(".jsonl"); }

const char *type_of(const std::string &name) {
    const auto found = std::ranges::find_if(types, [&](const auto &type) { return name.ends_with(type.first); });
    return found == types.end() ? "application/octet-stream" : found->second;
}

} // namespace mpiglut::walld
