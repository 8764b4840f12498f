// What a rank that keeps its files to itself makes, moves and removes, as the system calls of these names would.
#include "files/overlay.h"

#include "base/real.h"
#include "files/view.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::files {

namespace {

Store &own() { return *view().own; }

int failed(int error) {
    errno = error;
    return -1;
}

bool is_empty(const std::string &key) {
    std::set<std::string> names;
    const auto add_name = [&](const std::string &name) { return names.insert(name), false; };
    any_entry(own().path(key), add_name);
    any_entry(key, add_name);
    return std::ranges::none_of(names, [&](const std::string &name) {
        const Found found = find(key + "/" + name);
        return found.kind != Kind::none && (found.own || !is_twin(key + "/" + name));
    });
}

/// This rank's own copy of what it has found there.
int copy_up(const std::string &key, const Found &found) { return found.own ? 0 : own().copy(found.path, key); }

int move_file(const Key &from, const Found &source, const Key &to) {
    if (copy_up(from, source) != 0 || REAL(rename)(own().path(from).c_str(), own().make_room(to).c_str()) != 0)
        return -1;
    own().mark_gone(from);
    return 0;
}

} // namespace

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
    const bool by_descriptor = std::string_view(from).starts_with("/proc/");
    if (target.empty() || (source.empty() && !by_descriptor))
        return REAL(linkat)(from_at, from, to_at, to, last == Last::followed ? AT_SYMLINK_FOLLOW : 0);
    if (by_descriptor) { // a file without a name, which for_opening() has led to this rank's own folder
        if (!is_free(target, find(target)))
            return failed(EEXIST);
        if (const int error = may_change(target))
            return failed(error);
        return REAL(linkat)(from_at, from, AT_FDCWD, own().make_room(target).c_str(), AT_SYMLINK_FOLLOW);
    }
    const Found what = find(source);
    if (what.kind == Kind::none || what.kind == Kind::folder)
        return failed(what.kind == Kind::none ? ENOENT : EPERM);
    if (!is_free(target, find(target)))
        return failed(EEXIST);
    if (const int error = may_change(target))
        return failed(error);
    if (what.kind == Kind::other)
        return 0; // rank 0's
    if (copy_up(source, what) != 0)
        return -1;
    return REAL(link)(own().path(source).c_str(), own().make_room(target).c_str());
}

} // namespace mpiglut::files
