#include "files/overlay.h"

#include "base/real.h"
#include "files/view.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::files {

namespace {

Store &own() { return *view().own; }

bool permits(const std::string &path, int how) {
    return REAL(faccessat)(AT_FDCWD, path.empty() ? "/" : path.c_str(), how, AT_EACCESS) == 0;
}

/// May the program change what is in the folder of this file? 0 or the error.
int may_change(const std::string &key) {
    const std::string folder = parent(key);
    if (folder.empty())
        return permits(folder, W_OK | X_OK) ? 0 : errno;
    const Found found = find(folder);
    if (found.kind != Kind::folder)
        return found.kind == Kind::none ? ENOENT : ENOTDIR;
    return found.own || permits(found.path, W_OK | X_OK) ? 0 : errno;
}

int failed(int error) {
    errno = error;
    return -1;
}

/// The program is about to make it: rank 0's twin of it is none.
bool is_free(const std::string &key, const Found &found) {
    return found.kind == Kind::none || (!found.own && is_twin(key));
}

bool is_empty(const std::string &key) {
    std::set<std::string> names;
    const auto take = [&](const std::string &name) { return names.insert(name), false; };
    any_entry(own().path(key), take);
    any_entry(key, take);
    return std::ranges::none_of(names, [&](const std::string &name) {
        const Found found = find(key + "/" + name);
        return found.kind != Kind::none && (found.own || !is_twin(key + "/" + name));
    });
}

/// This rank's own copy of what it has found there.
int take_over(const std::string &key, const Found &found) { return found.own ? 0 : own().copy(found.path, key); }

int move_file(const Key &from, const Found &source, const Key &to) {
    if (take_over(from, source) != 0 || REAL(rename)(own().path(from).c_str(), own().make_room(to).c_str()) != 0)
        return -1;
    own().mark_gone(from);
    return 0;
}

void remember(const Key &name) {
    Store &before = *view().before;
    if (name.empty() || before.kind(name) != Kind::none)
        return;
    const Kind kind = kind_at(name);
    if (kind == Kind::none)
        before.mark_gone(name);
    else if (kind == Kind::file || kind == Kind::link)
        before.copy(name, name);
}

bool remembers() { return view().before && !view().own; }

} // namespace

void begin_overlay(const std::string &own_folder, const std::string &before, std::int64_t start_ns) {
    View &v = view();
    const auto store = [](const std::string &folder) { return folder.empty() ? nullptr : new Store(folder); };
    char found[PATH_MAX]; // the folder in which it will lie is there
    const auto real = [&](const std::string &folder) {
        return !folder.empty() && REAL(realpath)(parent(folder).c_str(), found)
                   ? found + folder.substr(folder.rfind('/'))
                   : folder;
    };
    v.own = store(real(own_folder));
    v.before = store(real(before));
    v.start_ns = start_ns;
}

bool keeps() { return view().own; }

bool has_changes() {
    const View &v = view();
    return v.own && (v.own->exists() || (v.before && v.before->exists()));
}

void remember(int at, const char *path) {
    const int error = errno;
    if (remembers())
        remember(key(at, path, Last::itself));
    errno = error;
}

void remember_move(int from_at, const char *from, int to_at, const char *to) {
    const int error = errno;
    // A folder moves with all that is in it, which is too much to keep: other ranks may see that too early.
    if (remembers())
        if (const Key source = key(from_at, from, Last::itself); kind_at(source) != Kind::folder) {
            remember(source);
            remember(key(to_at, to, Last::itself));
        }
    errno = error;
}

std::string for_looking(int at, const char *path, Last last) {
    if (!has_changes())
        return {};
    const Key name = key(at, path, last);
    return name.empty() ? std::string() : lead_to(name, find(name));
}

bool is_change(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0; }

std::string for_opening(int at, const char *path, int flags) {
    if (!is_change(flags) || (flags & O_DIRECTORY)) // O_TMPFILE is in this: a file without a name is private as it is
        return for_looking(at, path, flags & O_NOFOLLOW ? Last::itself : Last::followed);
    const Key name = key(at, path, flags & (O_EXCL | O_NOFOLLOW) ? Last::itself : Last::followed);
    if (name.empty())
        return {};
    if (remembers()) {
        remember(name);
        return {};
    }
    const Found found = find(name);
    if (is_free(name, found) && (found.kind == Kind::none || found.kind == Kind::file)) {
        if (found.kind == Kind::file && !(flags & O_CREAT))
            return lead_to(name, found);
        if (!(flags & O_CREAT) || may_change(name) != 0)
            return lead_to(name, found);
        return own().make_room(name);
    }
    if (found.own || found.kind != Kind::file)
        return lead_to(name, found);
    const bool only_reads = (flags & O_ACCMODE) == O_RDONLY && !(flags & O_TRUNC);
    const int wanted = (flags & O_ACCMODE) == O_RDWR ? R_OK | W_OK : W_OK;
    if (only_reads || (flags & O_EXCL) || !permits(found.path, wanted))
        return lead_to(name, found); // the system says why not
    return flags & O_TRUNC                     ? own().make_room(name)
           : own().copy(found.path, name) == 0 ? own().path(name)
                                               : own().path(name) + "/(none)";
}

std::string own_name(const char *path) {
    const Key name = keeps() ? key(AT_FDCWD, path, Last::followed) : Key();
    if (name.empty())
        return {};
    const Found found = find(name);
    return found.kind != Kind::none && (found.path != name.text || name.elsewhere) ? name.text : "";
}

std::string shown(std::string folder) {
    if (keeps() && below(folder, own().root()))
        folder.erase(0, own().root().size());
    return folder;
}

bool is_own(int fd) { return keeps() && below(link_target("/proc/self/fd/" + std::to_string(fd)), own().root()); }

std::string folder_key(int folder) { return has_changes() ? key(folder, ".", Last::followed).text : std::string(); }

bool is_listed(const std::string &folder, const char *entry) {
    const std::string_view name = entry;
    return name == "." || name == ".." || find(folder + "/" + entry).kind != Kind::none;
}

std::vector<std::string> other_entries(const std::string &folder) {
    std::vector<std::string> names;
    const auto take = [&](const std::string &name) { return names.push_back(name), false; };
    any_entry(own().path(folder), take);
    if (view().before)
        any_entry(view().before->path(folder), take);
    any_entry(folder, take);
    return names;
}

std::string place_of(const std::string &folder, const std::string &entry) { return find(folder + "/" + entry).path; }

int make_folder(int at, const char *path, mode_t mode) {
    const Key name = key(at, path, Last::itself);
    if (name.empty())
        return REAL(mkdirat)(at, path, mode);
    if (!is_free(name, find(name)))
        return failed(EEXIST);
    if (const int error = may_change(name))
        return failed(error);
    return REAL(mkdir)(own().make_room(name).c_str(), mode);
}

int make_node(int at, const char *path, mode_t mode, dev_t device) {
    const Key name = key(at, path, Last::itself);
    if (name.empty())
        return REAL(mknodat)(at, path, mode, device);
    if (!is_free(name, find(name)))
        return failed(EEXIST);
    if (const int error = may_change(name))
        return failed(error);
    return REAL(mknodat)(AT_FDCWD, own().make_room(name).c_str(), mode, device);
}

int remove_folder(int at, const char *path) {
    const Key name = key(at, path, Last::itself);
    if (name.empty())
        return REAL(unlinkat)(at, path, AT_REMOVEDIR);
    const Found found = find(name);
    if (found.kind != Kind::folder)
        return failed(found.kind == Kind::none ? ENOENT : ENOTDIR);
    if (!is_empty(name))
        return failed(ENOTEMPTY);
    REAL(rmdir)(own().path(name).c_str());
    own().mark_gone(name);
    return 0;
}

int remove_file(int at, const char *path) {
    const Key name = key(at, path, Last::itself);
    if (name.empty())
        return REAL(unlinkat)(at, path, 0);
    const Found found = find(name);
    if (found.kind == Kind::none || found.kind == Kind::folder)
        return failed(found.kind == Kind::none ? ENOENT : EISDIR);
    if (const int error = may_change(name))
        return failed(error);
    if (found.own && REAL(unlink)(found.path.c_str()) != 0)
        return -1;
    own().mark_gone(name); // also where there is no real file: rank 0 may be late to make and remove it
    return 0;
}

int move(int from_at, const char *from, int to_at, const char *to, bool replace) {
    const Key source = key(from_at, from, Last::itself), target = key(to_at, to, Last::itself);
    if (source.empty() || target.empty())
        return REAL(renameat2)(from_at, from, to_at, to, replace ? 0 : RENAME_NOREPLACE);
    const Found what = find(source), there = find(target);
    if (what.kind == Kind::none)
        return failed(ENOENT);
    if (what.kind == Kind::other)
        return REAL(renameat2)(AT_FDCWD, source.text.c_str(), AT_FDCWD, target.text.c_str(),
                               replace ? 0 : RENAME_NOREPLACE);
    if (!replace && !is_free(target, there))
        return failed(EEXIST);
    if (const int error = may_change(source) ? may_change(source) : may_change(target))
        return failed(error);
    if (source.text == target.text)
        return 0;
    if (what.kind != Kind::folder)
        return there.kind == Kind::folder ? failed(EISDIR) : move_file(source, what, target);
    // A folder: what this rank has of it moves; the real one is moved by rank 0.
    if (own().kind(source) == Kind::folder &&
        REAL(rename)(own().path(source).c_str(), own().make_room(target).c_str()) != 0)
        return -1;
    return 0;
}

int make_link(const char *target, int at, const char *path) {
    const Key name = key(at, path, Last::itself);
    if (name.empty())
        return REAL(symlinkat)(target, at, path);
    if (!is_free(name, find(name)))
        return failed(EEXIST);
    if (const int error = may_change(name))
        return failed(error);
    return REAL(symlink)(target, own().make_room(name).c_str());
}

int make_second_name(int from_at, const char *from, int to_at, const char *to, Last last) {
    const Key source = key(from_at, from, last), target = key(to_at, to, Last::itself);
    if (source.empty() || target.empty() || std::string_view(from).starts_with("/proc/"))
        return REAL(linkat)(from_at, from, to_at, to, last == Last::followed ? AT_SYMLINK_FOLLOW : 0);
    const Found what = find(source);
    if (what.kind == Kind::none || what.kind == Kind::folder)
        return failed(what.kind == Kind::none ? ENOENT : EPERM);
    if (!is_free(target, find(target)))
        return failed(EEXIST);
    if (const int error = may_change(target))
        return failed(error);
    if (what.kind == Kind::other)
        return 0; // rank 0's
    if (take_over(source, what) != 0)
        return -1;
    return REAL(link)(own().path(source).c_str(), own().make_room(target).c_str());
}

} // namespace mpiglut::files
