#include "access/own_file.h"
#include "link/secret.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::walld {

namespace {

launcher::Descriptor open_folder(const std::string &folder) {
    return launcher::Descriptor(::open(folder.empty() ? "/" : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/// It is another user's, in a folder where everybody may make files.
bool may_be_planted(const std::string &path) {
    struct stat own {}, folder {};
    const std::string parent = std::filesystem::path(path).parent_path();
    return ::lstat(path.c_str(), &own) == 0 && own.st_uid != ::geteuid() && own.st_uid != 0 &&
           ::stat(parent.empty() ? "." : parent.c_str(), &folder) == 0 && (folder.st_mode & S_IWOTH) != 0;
}

bool is_own_link(const std::string &path) {
    struct stat facts {};
    return ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode) && !may_be_planted(path);
}

} // namespace

OwnFile OwnFile::create(const std::string &folder, const std::string &name, unsigned rights) {
    OwnFile made;
    if (const launcher::Descriptor place = open_folder(folder))
        made.file_.reset(
            ::openat(place.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, rights));
    return made;
}

OwnFile OwnFile::open(const std::string &folder, const std::string &name) {
    OwnFile found;
    // Without waiting: what has the name may be a pipe.
    if (const launcher::Descriptor place = open_folder(folder))
        found.file_.reset(::openat(place.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat facts {};
    if (!found.file_ || ::fstat(found.file_.get(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_nlink != 1 ||
        facts.st_uid != ::geteuid())
        return {};
    found.size_ = static_cast<std::uint64_t>(facts.st_size);
    return found;
}

bool OwnFile::write_at(std::uint64_t at, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
        at += static_cast<std::size_t>(count);
    }
    size_ = std::max(size_, at);
    return true;
}

bool OwnFile::append(std::string_view bytes) { return write_at(size_, bytes); }

std::string OwnFile::read_at(std::uint64_t at, std::size_t most) const {
    std::string bytes(most, '\0');
    std::size_t got = 0;
    for (ssize_t count = 1; got < most && count > 0;) {
        count = ::pread(file_.get(), bytes.data() + got, most - got, static_cast<off_t>(at + got));
        got += count > 0 ? static_cast<std::size_t>(count) : 0;
        if (count < 0 && errno == EINTR)
            count = 1;
    }
    bytes.resize(got);
    return bytes;
}

std::string replace_file(const std::string &path, std::string_view text) {
    std::error_code error;
    const std::filesystem::path there = is_own_link(path) ? std::filesystem::canonical(path, error) : "";
    const std::filesystem::path real = there.empty() ? std::filesystem::absolute(path) : there;
    const std::string folder = real.parent_path(), name = real.filename();
    // Its name cannot be guessed, so no user can put a link there first.
    const std::string fresh = "." + name + "." + launcher::random_token() + ".new";
    const launcher::Descriptor place = open_folder(folder);
    struct stat old {};
    OwnFile file = OwnFile::create(folder, fresh);
    const bool written = file && file.append(text) &&
                         (::fstatat(place.get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0 ||
                          ::fchmod(file.descriptor(), old.st_mode & 07777) == 0) &&
                         ::renameat(place.get(), fresh.c_str(), place.get(), name.c_str()) == 0;
    const std::string why = written ? "" : "cannot write '" + real.string() + "': " + std::strerror(errno);
    if (file && !written)
        ::unlinkat(place.get(), fresh.c_str(), 0);
    return why;
}

std::string read_kept_file(const std::string &path, std::size_t most, std::string &error) {
    // Without waiting: what has the name may be a pipe.
    const launcher::Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat facts {};
    if (!file && errno == ENOENT)
        return {};
    const std::string whose = may_be_planted(path) ? ": another user has put it there" : "";
    if (!file || !whose.empty() || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode) ||
        static_cast<std::uint64_t>(facts.st_size) > most) {
        error = "'" + path + "' cannot be read" + whose;
        return {};
    }
    std::string text(static_cast<std::size_t>(facts.st_size), '\0');
    const ssize_t count = ::pread(file.get(), text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

} // namespace mpiglut::walld
