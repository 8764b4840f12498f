#include "files/names.h"

#include "base/process.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/virtual.h"
#include "files/served.h"
#include "run/report.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace mpiglut::files {

Name::Name(const void *caller, int at, const char *path, Last last) : Name(at, path) {
    if (!path || !serves(caller) || in_proc() || is_absent())
        return;
    const int error = errno;
    lead_to(for_looking(at, path, last));
    real_file_ = !changed_ && keeps();
    last_ = last;
    errno = error;
}

Name Name::to_open(const void *caller, int at, const char *path, int flags) {
    Name name(at, path);
    if (!path || !serves(caller) || name.in_proc() || name.is_absent())
        return name;
    const int error = errno;
    name.lead_to(for_opening(at, path, flags));
    name.real_file_ = !name.changed_ && keeps() && !is_change(flags);
    name.last_ = flags & O_NOFOLLOW ? Last::itself : Last::followed;
    errno = error;
    return name;
}

bool Name::holds() const {
    if (!real_file_)
        return true;
    const int error = errno;
    const bool same = for_looking(at_, path_, last_).empty();
    errno = error;
    return same;
}

void Name::lead_to(std::string other) {
    changed_ = !other.empty();
    other_ = std::move(other);
}

bool Name::in_proc() {
    const std::string_view given(path_);
    if (!given.starts_with("/proc/"))
        return false;
    if (!clock::is_virtual() || !is_rank())
        return true;
    const std::string number = "/" + std::to_string(clock::virtual_pid());
    std::string real(given);
    const auto replace = [&](std::string_view before, const std::string &by) {
        const std::size_t at = before.size(), end = at + number.size();
        if (std::string_view(real).starts_with(std::string(before) + number) &&
            (end == real.size() || real[end] == '/'))
            real.replace(at, number.size(), by);
    };
    replace("/proc", "/self");
    replace("/proc/self/task", "/" + std::to_string(clock::first_pid()));
    if (real != given)
        lead_to(real);
    return true;
}

bool Name::is_absent() {
    const std::string_view given(path_), all = state().options.absent;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find(':', begin), all.size());
        const std::string_view one = all.substr(begin, end - begin);
        begin = end + 1;
        if (one.empty() || !given.starts_with(one))
            continue;
        const int error = errno;
        if (REAL(access)(path_, R_OK) == 0)
            report_once(Report::note, "what begins with '" + std::string(one) + "' is not there for the program: each "
                                      "host has its own, such as game pads, and ranks would get other input");
        errno = error;
        lead_to("/proc/self/absent");
        return true;
    }
    return false;
}

int flags_of(const char *mode) {
    int flags = O_RDONLY;
    if (*mode == 'w')
        flags = O_WRONLY | O_CREAT | O_TRUNC;
    if (*mode == 'a')
        flags = O_WRONLY | O_CREAT | O_APPEND;
    for (const char *c = mode; *c && *c != ','; ++c) {
        if (*c == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        if (*c == 'x')
            flags |= O_EXCL;
        if (*c == 'e')
            flags |= O_CLOEXEC;
    }
    return flags;
}

} // namespace mpiglut::files
