#include "files/overlay.h"

#include "base/real.h"
#include "files/view.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::files {

namespace {

Store &own() { return *view().own; }

void remember(const Key &name) {
    Store &before = *view().before;
    if (name.empty() || before.kind(name) != Kind::none)
        return;
    const Kind kind = kind_at(name);
    // The socket of a program that has ended: nothing answers there, as if it were gone.
    struct stat facts {};
    const bool is_socket = kind == Kind::other && REAL(lstat)(name.text.c_str(), &facts) == 0 && S_ISSOCK(facts.st_mode);
    if (kind == Kind::none || is_socket)
        before.mark_gone(name);
    else if (kind == Kind::file || kind == Kind::link)
        before.copy(name, name);
}

bool remembers() { return view().before && !view().own; }

/// The folder in which a file without a name is made (O_TMPFILE). It may be given a name of this rank's own later.
std::string for_nameless(int at, const char *path) {
    const Key folder = key(at, path, Last::followed);
    if (folder.empty())
        return {};
    const Found found = find(folder);
    const Key entry{folder.text + "/(nameless)"};
    if (found.kind != Kind::folder || may_change(entry) != 0)
        return lead_to(folder, found);
    return parent(own().make_room(entry));
}

} // namespace

void begin_overlay(const std::string &own_folder, const std::string &before, std::int64_t start_ns) {
    View &v = view();
    const auto store = [](const std::string &folder) { return folder.empty() ? nullptr : new Store(folder); };
    char found[PATH_MAX]; // the folder that it will lie in is there
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
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return view().own ? for_nameless(at, path) : std::string();
    if (!is_change(flags) || (flags & O_DIRECTORY))
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
    const auto add_name = [&](const std::string &name) { return names.push_back(name), false; };
    any_entry(own().path(folder), add_name);
    if (view().before)
        any_entry(view().before->path(folder), add_name);
    any_entry(folder, add_name);
    return names;
}

std::string place_of(const std::string &folder, const std::string &entry) { return find(folder + "/" + entry).path; }

} // namespace mpiglut::files
