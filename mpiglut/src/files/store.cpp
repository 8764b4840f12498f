#include "files/store.h"

#include "base/real.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::files {

namespace {

void make_folders(const std::string &path) {
    for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
        REAL(mkdir)(path.substr(0, slash).c_str(), 0700);
}

} // namespace

Kind kind_at(const std::string &path) {
    struct stat what;
    if (REAL(lstat)(path.c_str(), &what) != 0)
        return Kind::none;
    return S_ISREG(what.st_mode)   ? Kind::file
           : S_ISDIR(what.st_mode) ? Kind::folder
           : S_ISLNK(what.st_mode) ? Kind::link
                                   : Kind::other;
}

std::string parent(const std::string &path) { return path.substr(0, path.rfind('/')); }

std::string link_target(const std::string &path) {
    char target[PATH_MAX];
    const ssize_t size = REAL(readlink)(path.c_str(), target, sizeof target);
    return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
}

bool Store::exists() const { return REAL(access)(root_.c_str(), F_OK) == 0; }

/// In its own tree: below a folder that is gone other files may be.
std::string Store::mark(const std::string &key) const { return root_ + "/.gone" + key + "/.(removed)"; }

Kind Store::kind(const std::string &key) const {
    return REAL(access)(mark(key).c_str(), F_OK) == 0 ? Kind::gone : kind_at(path(key));
}

std::string Store::make_room(const std::string &key) {
    std::string own = path(key);
    make_folders(own);
    REAL(unlink)(mark(key).c_str());
    return own;
}

void Store::mark_gone(const std::string &key) {
    const std::string file = mark(key);
    make_folders(file);
    if (const int fd = REAL(open)(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600); fd >= 0)
        close(fd);
}

int Store::copy_file(const std::string &from, const std::string &to) {
    const int source = REAL(open)(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (source < 0)
        return -1;
    struct stat what;
    fstat(source, &what);
    std::string fresh = root_ + "/.copy-XXXXXX";
    const int target = REAL(mkostemp)(fresh.data(), O_CLOEXEC);
    ssize_t sent = target < 0 ? -1 : 1;
    while (sent > 0)
        sent = sendfile(target, source, nullptr, 1 << 30);
    if (sent == 0)
        sent = fchmod(target, what.st_mode & 07777);
    const timespec times[] = {what.st_atim, what.st_mtim};
    if (sent == 0)
        futimens(target, times);
    if (sent == 0 && REAL(link)(fresh.c_str(), to.c_str()) != 0 && errno != EEXIST)
        sent = -1;
    const int error = errno;
    if (target >= 0) {
        REAL(unlink)(fresh.c_str());
        close(target);
    }
    close(source);
    errno = error;
    return sent == 0 ? 0 : -1;
}

int Store::copy(const std::string &from, const std::string &key) {
    const std::string target = link_target(from);
    const std::string to = make_room(key);
    if (target.empty())
        return copy_file(from, to);
    return REAL(symlink)(target.c_str(), to.c_str()) == 0 || errno == EEXIST ? 0 : -1;
}

bool any_entry(const std::string &folder, bool (*visit)(void *, const std::string &), void *data) {
    DIR *entries = REAL(opendir)(folder.c_str());
    bool found = false;
    for (dirent *entry; entries && !found && (entry = REAL(readdir)(entries));)
        if (const std::string_view name = entry->d_name; name != "." && name != "..")
            found = visit(data, std::string(name));
    if (entries)
        REAL(closedir)(entries);
    return found;
}

} // namespace mpiglut::files
