#include "files/overlay.h"

#include "base/real.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <initializer_list>
#include <string_view>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::files {

namespace {

std::string *root; ///< never destroyed: the program's own destructors may write files
std::int64_t start;
bool remembers; ///< the folder holds what was there before, and this rank writes through

constexpr const char *gone_target = "(removed)"; ///< a link to this stands for a file that this rank has removed

bool below(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

/// Where a path leads, without links, `.` and `..`. What does not exist is taken as it is written.
std::string canonical(const std::string &path) {
    char found[PATH_MAX];
    std::string there = path, rest;
    while (!there.empty() && !REAL(realpath)(there.c_str(), found)) {
        const auto slash = there.rfind('/');
        const std::string part = there.substr(slash + 1);
        if (!part.empty() && part != ".")
            rest = "/" + part + rest;
        there.resize(slash);
    }
    std::string result = there.empty() ? "" : found;
    return (result == "/" ? "" : result) + rest;
}

std::string absolute(int at, const char *path) {
    if (*path == '/')
        return path;
    char folder[PATH_MAX];
    if (at == AT_FDCWD)
        return REAL(getcwd)(folder, sizeof folder) ? std::string(folder) + "/" + path : "";
    const ssize_t size = REAL(readlink)(("/proc/self/fd/" + std::to_string(at)).c_str(), folder, sizeof folder);
    return size > 0 && *folder == '/' ? std::string(folder, static_cast<std::size_t>(size)) + "/" + path : "";
}

/// What the program means by a path: the same text for the same file. Empty: not to be treated here.
struct Key {
    std::string text;
    bool from_inside = false; ///< relative to a folder that this rank has made and gone into

    bool empty() const { return text.empty(); }
    /// For the system, which knows the program's path already if it means the real file.
    std::string real() const { return from_inside ? text : std::string(); }
    std::string own() const { return *root + text; }
    operator const std::string &() const { return text; }
};

Key key(int at, const char *path, Last last) {
    if (!root || !path || !*path)
        return {};
    std::string full = absolute(at, path);
    while (full.size() > 1 && full.ends_with('/'))
        full.pop_back();
    if (full.empty())
        return {};
    if (last == Last::itself) {
        const auto slash = full.rfind('/');
        full = canonical(full.substr(0, slash)) + full.substr(slash);
    } else {
        full = canonical(full);
    }
    const bool inside = below(full, *root);
    if (inside)
        full.erase(0, root->size());
    const bool real = std::ranges::any_of(std::initializer_list<std::string_view>{"/dev", "/proc", "/sys"},
                                          [&](std::string_view folder) { return below(full, folder); });
    const bool odd = full.size() < 2 || (full + "/").find("/../") != full.npos || full.ends_with("/.");
    return real || odd ? Key{} : Key{full, inside};
}

enum class Kind { none, gone, file, folder, other };

Kind kind_of(const char *path, bool own) {
    struct stat what;
    if ((own ? REAL(lstat) : REAL(stat))(path, &what) != 0)
        return Kind::none;
    return S_ISREG(what.st_mode)          ? Kind::file
           : S_ISDIR(what.st_mode)        ? Kind::folder
           : own && S_ISLNK(what.st_mode) ? Kind::gone
                                          : Kind::other;
}
Kind own_kind(const std::string &key) { return kind_of((*root + key).c_str(), true); }
Kind real_kind(const std::string &key) { return kind_of(key.c_str(), false); }

std::string parent(const std::string &path) { return path.substr(0, path.rfind('/')); }

bool permits(const std::string &path, int how) {
    return REAL(faccessat)(AT_FDCWD, path.empty() ? "/" : path.c_str(), how, AT_EACCESS) == 0;
}

/// Was it made since the run began? Then by rank 0, and this rank is about to make it too.
bool is_twin(const std::string &key) {
    struct statx what;
    if (REAL(statx)(AT_FDCWD, key.c_str(), 0, STATX_BTIME, &what) != 0 || !(what.stx_mask & STATX_BTIME))
        return false;
    return what.stx_btime.tv_sec * 1'000'000'000 + what.stx_btime.tv_nsec >= start;
}

/// May the program change what is in the folder of this file? 0 or the error.
int may_change(const std::string &key) {
    const std::string folder = parent(key);
    const Kind own = own_kind(folder);
    if (own == Kind::gone || own == Kind::file)
        return own == Kind::gone ? ENOENT : ENOTDIR;
    if (own == Kind::folder && real_kind(folder) == Kind::none)
        return 0;
    return permits(folder, W_OK | X_OK) ? 0 : errno;
}

void make_folders(const std::string &path) {
    for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
        REAL(mkdir)(path.substr(0, slash).c_str(), 0700);
}

/// In place of what this rank has removed; the folders around it are there afterwards.
std::string make_room(const std::string &key) {
    std::string own = *root + key;
    make_folders(own);
    if (own_kind(key) == Kind::gone)
        REAL(unlink)(own.c_str());
    return own;
}

/// A copy in this rank's folder, unless there is one by now.
int copy(const std::string &from, const std::string &to) {
    const int source = REAL(open)(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (source < 0)
        return -1;
    struct stat what;
    fstat(source, &what);
    std::string fresh = *root + "/.copy-XXXXXX";
    const int target = REAL(mkostemp)(fresh.data(), O_CLOEXEC);
    ssize_t sent = target < 0 ? -1 : 1;
    while (sent > 0)
        sent = sendfile(target, source, nullptr, 1 << 30);
    if (sent == 0)
        sent = fchmod(target, what.st_mode & 07777);
    if (sent == 0 && link(fresh.c_str(), to.c_str()) != 0 && errno != EEXIST)
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

/// Also where there is no real file: rank 0 may be late to make and remove it.
void mark_gone(const std::string &key) {
    [[maybe_unused]] const int ignored = symlink(gone_target, make_room(key).c_str());
}

/// Something that does not exist, for the system to say so.
std::string nothing() { return *root + "/(none)/(none)"; }

int failed(int error) {
    errno = error;
    return -1;
}

/// What the program finds there.
Kind seen(const std::string &key) {
    const Kind own = own_kind(key);
    return own == Kind::none ? real_kind(key) : own;
}

template <class Visit> bool any_entry(const std::string &folder, Visit visit) {
    DIR *entries = REAL(opendir)(folder.c_str());
    bool found = false;
    for (dirent *entry; entries && !found && (entry = REAL(readdir)(entries));)
        if (const std::string_view name = entry->d_name; name != "." && name != "..")
            found = visit(std::string(name));
    if (entries)
        closedir(entries);
    return found;
}

bool is_empty(const std::string &key) {
    return !any_entry(*root + key, [&](const std::string &name) { return own_kind(key + "/" + name) != Kind::gone; }) &&
           !any_entry(key, [&](const std::string &name) {
               return own_kind(key + "/" + name) == Kind::none && !is_twin(key + "/" + name);
           });
}

int move_file(const std::string &from, const std::string &to) {
    const std::string source = *root + from, target = make_room(to);
    if (own_kind(from) != Kind::file) {
        make_folders(source);
        if (copy(from, source) != 0)
            return -1;
    }
    if (REAL(rename)(source.c_str(), target.c_str()) != 0)
        return -1;
    mark_gone(from);
    return 0;
}

} // namespace

void begin_overlay(const std::string &folder, std::int64_t start_ns) {
    if (!folder.empty())
        root = new std::string(canonical(folder));
    start = start_ns;
}

void begin_memory(const std::string &folder) {
    begin_overlay(folder, start);
    remembers = keeps();
}

bool keeps() { return root && !remembers; }

namespace {

void remember(const Key &name) {
    if (name.empty() || own_kind(name) != Kind::none || own_kind(parent(name)) == Kind::gone)
        return;
    const Kind kind = real_kind(name);
    if (kind == Kind::none)
        mark_gone(name);
    else if (kind == Kind::file)
        copy(name, make_room(name));
}

} // namespace

void remember(int at, const char *path) {
    const int error = errno;
    if (remembers)
        remember(key(at, path, Last::itself));
    errno = error;
}

std::string for_looking(int at, const char *path, Last last) {
    if (!keeps() || REAL(access)(root->c_str(), F_OK) != 0) // nothing has been written yet
        return {};
    const Key name = key(at, path, last);
    if (name.empty())
        return {};
    switch (own_kind(name)) {
    case Kind::file:
        return name.own();
    case Kind::gone:
        return nothing();
    case Kind::folder: // made by the program, or only around its files
        return real_kind(name) == Kind::none || is_twin(name) ? name.own() : name.real();
    default: // what was in a folder that this rank has removed goes with the real folder, later
        return own_kind(parent(name)) == Kind::gone ? nothing() : name.real();
    }
}

std::string for_opening(int at, const char *path, int flags) {
    if (!root)
        return {};
    const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
    if (!writes || (flags & O_DIRECTORY)) // O_TMPFILE is in this: a file without a name is private as it is
        return for_looking(at, path, flags & O_NOFOLLOW ? Last::itself : Last::followed);
    const Key name = key(at, path, flags & O_EXCL ? Last::itself : Last::followed);
    if (name.empty())
        return {};
    if (remembers) {
        remember(name);
        return {};
    }
    const Kind own = own_kind(name), real = own == Kind::gone ? Kind::none : real_kind(name);
    if (own == Kind::file)
        return name.own();
    if (own == Kind::folder || real == Kind::folder || real == Kind::other)
        return name.real();
    if (real == Kind::none || ((flags & O_CREAT) && is_twin(name))) {
        if (!(flags & O_CREAT))
            return own == Kind::gone ? nothing() : name.real();
        const int error = may_change(name);
        return error == 0 ? make_room(name) : own_kind(parent(name)) == Kind::gone ? nothing() : name.real();
    }
    const bool only_reads = (flags & O_ACCMODE) == O_RDONLY && !(flags & O_TRUNC);
    const int wanted = (flags & O_ACCMODE) == O_RDWR ? R_OK | W_OK : W_OK;
    if (only_reads || (flags & O_EXCL) || !permits(name, wanted))
        return name.real(); // which says why not
    std::string target = make_room(name);
    return !(flags & O_TRUNC) && copy(name, target) != 0 ? nothing() : target;
}

std::string own_name(const char *path) {
    const Key name = keeps() ? key(AT_FDCWD, path, Last::followed) : Key();
    return !name.empty() && (own_kind(name) == Kind::file || name.from_inside) ? name.text : std::string();
}

bool is_listed(DIR *folder, const char *entry) {
    char target[sizeof "(removed)"];
    const ssize_t size = root ? REAL(readlinkat)(dirfd(folder), entry, target, sizeof target) : -1;
    return size < 0 || std::string_view(target, static_cast<std::size_t>(size)) != gone_target;
}

std::string shown(std::string folder) {
    if (keeps() && below(folder, *root))
        folder.erase(0, root->size());
    return folder;
}

int make_folder(int at, const char *path, mode_t mode) {
    const Key name = key(at, path, Last::itself);
    if (name.empty())
        return REAL(mkdirat)(at, path, mode);
    const Kind own = own_kind(name);
    if (own == Kind::file || own == Kind::folder)
        return failed(EEXIST);
    if (own != Kind::gone && real_kind(name) != Kind::none && !is_twin(name))
        return failed(EEXIST);
    if (const int error = may_change(name))
        return failed(error);
    return REAL(mkdir)(make_room(name).c_str(), mode);
}

int remove_folder(int at, const char *path) {
    const Key name = key(at, path, Last::itself);
    if (name.empty())
        return REAL(unlinkat)(at, path, AT_REMOVEDIR);
    const Kind kind = seen(name);
    if (kind != Kind::folder)
        return failed(kind == Kind::none || kind == Kind::gone ? ENOENT : ENOTDIR);
    if (!is_empty(name))
        return failed(ENOTEMPTY);
    const std::string own = name.own();
    any_entry(own, [&](const std::string &entry) { return REAL(unlink)((own + "/" + entry).c_str()) != 0; });
    REAL(rmdir)(own.c_str());
    mark_gone(name);
    return 0;
}

int remove_file(int at, const char *path) {
    const Key name = key(at, path, Last::itself);
    if (name.empty())
        return REAL(unlinkat)(at, path, 0);
    switch (own_kind(name)) {
    case Kind::gone:
        return failed(ENOENT);
    case Kind::file:
        if (REAL(unlink)(name.own().c_str()) != 0)
            return -1;
        break;
    default:
        if (real_kind(name) != Kind::file)
            return REAL(unlinkat)(AT_FDCWD, name.text.c_str(), 0);
        if (const int error = may_change(name))
            return failed(error);
    }
    mark_gone(name);
    return 0;
}

int move(int from_at, const char *from, int to_at, const char *to, bool replace) {
    const Key source = key(from_at, from, Last::itself), target = key(to_at, to, Last::itself);
    if (source.empty() || target.empty())
        return REAL(renameat2)(from_at, from, to_at, to, replace ? 0 : RENAME_NOREPLACE);
    const Kind kind = seen(source), there = seen(target);
    if (kind == Kind::none || kind == Kind::gone)
        return failed(ENOENT);
    if (kind == Kind::other)
        return REAL(renameat2)(AT_FDCWD, source.text.c_str(), AT_FDCWD, target.text.c_str(),
                               replace ? 0 : RENAME_NOREPLACE);
    if (!replace && there != Kind::none && there != Kind::gone)
        return failed(EEXIST);
    if (const int error = may_change(source) ? may_change(source) : may_change(target))
        return failed(error);
    if (kind == Kind::file)
        return there == Kind::folder ? failed(EISDIR) : move_file(source, target);
    // A folder: what this rank has of it moves; the real one is moved by rank 0.
    if (own_kind(source) == Kind::folder && REAL(rename)(source.own().c_str(), make_room(target).c_str()) != 0)
        return -1;
    return 0;
}

} // namespace mpiglut::files
