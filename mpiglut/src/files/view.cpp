#include "files/view.h"

#include "base/real.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <initializer_list>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace mpiglut::files {

namespace {

constexpr int most_links = 40; ///< as Linux

std::string absolute(int at, const char *path) {
    if (*path == '/')
        return path;
    char folder[PATH_MAX];
    if (at == AT_FDCWD)
        return REAL(getcwd)(folder, sizeof folder) ? std::string(folder) + "/" + path : "";
    const std::string there = link_target("/proc/self/fd/" + std::to_string(at));
    return there.starts_with('/') ? there + "/" + path : "";
}

std::string nothing() { return view().own->root() + "/(none)/(none)"; }

bool is_gone_above(const std::string &key) {
    const View &v = view();
    for (auto slash = key.find('/', 1); slash != key.npos; slash = key.find('/', slash + 1)) {
        const std::string folder = key.substr(0, slash);
        const Kind own = v.own->kind(folder);
        if (own == Kind::gone || (v.before && own != Kind::folder && v.before->kind(folder) == Kind::gone))
            return true;
    }
    return false;
}

/// Without a look at the folders around it.
Found find_here(const std::string &key) {
    const View &v = view();
    const Kind own = v.own->kind(key);
    if (own == Kind::gone)
        return {Kind::none, nothing()};
    if (own != Kind::none && own != Kind::folder)
        return {own, v.own->path(key), true};
    Found there{Kind::none, key};
    if (const Kind before = v.before ? v.before->kind(key) : Kind::none; before == Kind::gone)
        there.path = nothing();
    else if (before == Kind::file || before == Kind::link)
        there = {before, v.before->path(key)};
    else
        there.kind = kind_at(key);
    // Made by the program, or only around its files.
    return own == Kind::folder && (there.kind == Kind::none || is_twin(key)) ? Found{own, v.own->path(key), true}
                                                                             : there;
}

/// Follows links as this rank has them.
class Walk {
  public:
    explicit Walk(std::string rest) : rest_(std::move(rest)) {}

    bool elsewhere() const { return elsewhere_; }
    std::string run(Last last) {
        while (!rest_.empty()) {
            const auto from = rest_.find_first_not_of('/');
            if (from == rest_.npos)
                break;
            const auto to = std::min(rest_.find('/', from), rest_.size());
            const std::string part = rest_.substr(from, to - from);
            rest_.erase(0, to);
            if (part == "..")
                at_ = parent(at_);
            else if (part != ".")
                step(at_ + "/" + part, last);
        }
        return at_;
    }

  private:
    bool is_last() const { return rest_.find_first_not_of('/') == rest_.npos; }
    void step(const std::string &next, Last last) {
        if (last == Last::itself && is_last()) {
            at_ = next;
            return;
        }
        const Found found = view().own ? find_here(next) : Found{kind_at(next), next};
        elsewhere_ |= found.path != next && (found.kind == Kind::link || kind_at(next) == Kind::link);
        const std::string target = found.kind == Kind::link ? link_target(found.path) : "";
        if (target.empty() || ++links_ > most_links) {
            at_ = next;
            return;
        }
        if (target.starts_with('/'))
            at_.clear();
        rest_ = target + rest_;
    }

    std::string at_, rest_;
    int links_ = 0;
    bool elsewhere_ = false;
};

} // namespace

View &view() {
    static View *const the_view = new View;
    return *the_view;
}

bool below(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

Key key(int at, const char *path, Last last) {
    const View &v = view();
    if ((!v.own && !v.before) || !path || !*path)
        return {};
    std::string full = absolute(at, path);
    const bool inside = v.own && below(full, v.own->root()); // a folder that this rank has made and gone into
    if (inside)
        full.erase(0, v.own->root().size());
    if (full.empty() || (last == Last::itself && (full.ends_with("/.") || full.ends_with("/.."))))
        return {};
    Walk walk(std::move(full));
    std::string text = walk.run(last);
    const bool real = std::ranges::any_of(std::initializer_list<std::string_view>{"/dev", "/proc", "/sys"},
                                          [&](std::string_view folder) { return below(text, folder); });
    return real || text.empty() ? Key{} : Key{text, inside || walk.elsewhere()};
}

Found find(const std::string &key) { return is_gone_above(key) ? Found{Kind::none, nothing()} : find_here(key); }

std::string lead_to(const Key &name, const Found &found) { return found.path == name.text ? name.real() : found.path; }

bool is_twin(const std::string &key) {
    struct statx what;
    if (view().before || REAL(statx)(AT_FDCWD, key.c_str(), 0, STATX_BTIME, &what) != 0 ||
        !(what.stx_mask & STATX_BTIME))
        return false;
    return what.stx_btime.tv_sec * 1'000'000'000 + what.stx_btime.tv_nsec >= view().start_ns;
}

bool permits(const std::string &path, int how) {
    return REAL(faccessat)(AT_FDCWD, path.empty() ? "/" : path.c_str(), how, AT_EACCESS) == 0;
}

int may_change(const std::string &key) {
    const std::string folder = parent(key);
    if (folder.empty())
        return permits(folder, W_OK | X_OK) ? 0 : errno;
    const Found found = find(folder);
    if (found.kind != Kind::folder)
        return found.kind == Kind::none ? ENOENT : ENOTDIR;
    return found.own || permits(found.path, W_OK | X_OK) ? 0 : errno;
}

bool is_free(const std::string &key, const Found &found) {
    return found.kind == Kind::none || (!found.own && is_twin(key));
}

} // namespace mpiglut::files
