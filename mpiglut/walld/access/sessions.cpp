#include "access/sessions.h"
#include "access/link_file.h"
#include "child/descriptor.h"
#include "link/net.h"
#include "link/secret.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::walld {

namespace {

using nlohmann::json;

constexpr std::size_t most = 256; // of each role
constexpr std::size_t longest_file = 1u << 20;

std::int64_t seconds(std::chrono::system_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

/// Of a regular file that this user alone can read; empty where it is none.
std::string read_own(const std::string &path) {
    const launcher::Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::getuid() ||
        (info.st_mode & 077) != 0 || static_cast<std::size_t>(info.st_size) > longest_file)
        return {};
    std::string text(static_cast<std::size_t>(info.st_size), '\0');
    return ::read(file.get(), text.data(), text.size()) == info.st_size ? text : std::string();
}

std::string write_own(const std::string &path, const std::string &text) {
    const std::string fresh = path + ".new";
    ::unlink(fresh.c_str());
    const launcher::Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::rename(fresh.c_str(), path.c_str()) == 0)
        return {};
    return "sessions cannot be kept in '" + path + "': " + std::strerror(errno);
}

} // namespace

std::string Sessions::hash_of(const std::string &secret) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    EVP_Digest(secret.data(), secret.size(), digest.data(), &size, EVP_sha256(), nullptr);
    std::string text;
    for (unsigned i = 0; i < size; ++i)
        for (const int shift : {4, 0})
            text += "0123456789abcdef"[(digest[i] >> shift) & 15];
    return text;
}

std::string Sessions::usual_path(int port) {
    const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
    const std::string parent = state && *state ? state : home && *home ? std::string(home) + "/.local/state" : "";
    return parent.empty() ? parent
                          : parent + "/pixmpi-walls/" + launcher::host_name() + "-" + std::to_string(port) + ".json";
}

Sessions::Sessions(std::string path)
    : path_(std::move(path)), cookie_name_("wall_" + launcher::random_token().substr(0, 8)) {
    if (path_.empty())
        return;
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    std::error_code ignored;
    std::filesystem::create_directories(folder.parent_path(), ignored);
    if (!own_folder(folder))
        trouble_ = "sessions cannot be kept in '" + folder.string() + "': " + std::strerror(errno);
    else
        load(Clock::now());
}

/// What is no list of sessions counts as none: browsers open the link once more.
void Sessions::load(Clock::time_point now) {
    const json kept = json::parse(read_own(path_), nullptr, false);
    const auto time = seconds(std::chrono::system_clock::now());
    if (!kept.is_object() || !kept.contains("cookie") || !kept["cookie"].is_string())
        return;
    const std::string name = kept["cookie"];
    if (!name.starts_with("wall_") || name.find_first_not_of("0123456789abcdef", 5) != name.npos)
        return;
    cookie_name_ = name;
    for (const json &one : kept.value("sessions", json::array()))
        if (one.is_object() && one.value("hash", json()).is_string() &&
            one.value("until", json()).is_number_integer()) {
            const std::int64_t left = one["until"].get<std::int64_t>() - time;
            if (left > 0 && std::chrono::seconds(left) <= longest)
                all_.push_back({one["hash"], one.value("operates", json()) == true ? Role::operate : Role::look,
                                now + std::chrono::seconds(left)});
        }
}

void Sessions::save(Clock::time_point now) {
    if (path_.empty())
        return;
    json list = json::array();
    for (const Session &one : all_)
        list.push_back({{"hash", one.hash},
                        {"operates", one.role == Role::operate},
                        {"until", seconds(std::chrono::system_clock::now() +
                                          std::chrono::duration_cast<std::chrono::seconds>(one.until - now))}});
    trouble_ = write_own(path_, json{{"cookie", cookie_name_}, {"sessions", std::move(list)}}.dump(1) + "\n");
}

std::string Sessions::open(Role role, Clock::time_point now) {
    const auto alike = [role](const Session &one) { return one.role == role; };
    if (static_cast<std::size_t>(std::ranges::count_if(all_, alike)) >= most)
        all_.erase(std::ranges::find_if(all_, alike));
    const std::string secret = launcher::random_token();
    all_.push_back({hash_of(secret), role, now + longest});
    save(now);
    return secret;
}

const Sessions::Session *Sessions::find(const std::string &secret, Clock::time_point now) {
    std::erase_if(all_, [now](const Session &one) { return one.until < now; });
    const std::string hash = hash_of(secret); // which says nothing of the secret, however long the comparison takes
    const auto found = std::ranges::find(all_, hash, &Session::hash);
    return found == all_.end() ? nullptr : &*found;
}

bool Sessions::is_open(const std::string &hash, Clock::time_point now) const {
    return std::ranges::any_of(all_, [&](const Session &one) { return one.hash == hash && one.until >= now; });
}

void Sessions::close(const std::string &hash) {
    if (std::erase_if(all_, [&](const Session &one) { return one.hash == hash; }))
        save(Clock::now());
}

void Sessions::close_all() {
    all_.clear();
    save(Clock::now());
}

} // namespace mpiglut::walld
