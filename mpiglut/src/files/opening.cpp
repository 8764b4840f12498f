// Opening files: the program's calls, and those that the C++ library's streams make for it.

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "children/reading.h"
#include "clock/virtual.h"
#include "files/names.h"
#include "files/served.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace files = mpiglut::files;
namespace children = mpiglut::children;
using files::Name;

extern "C" {
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);
}

namespace {

/// Opens it if it is a named pipe that rank 0 has to open: of several ranks each would get some of its bytes.
template <class Real> std::optional<int> open_fifo(const void *caller, const Name &name, int flags, Real real) {
    struct stat what;
    if (!name.path() || !mpiglut::state().options.private_files || !files::serves(caller) ||
        REAL(fstatat)(name.at(), name.path(), &what, 0) != 0 || !S_ISFIFO(what.st_mode))
        return {};
    const children::Part part = children::part(caller);
    if (part != children::Part::none)
        return children::open_fifo(part, flags, [&] { return real(name.at(), name.path()); });
    if (name.is_elsewhere()) // this rank's own; no other rank writes there
        return children::stand_in_pipe(flags);
    return {};
}

/// `real(at, path)` opens it, by the function that the program called: another library may be behind it.
template <class Real> int open_for(const void *caller, int at, const char *path, int flags, Real real) {
    if (const int random = files::open_random(caller, path, flags); random >= 0)
        return random;
    for (int tries = 3;; --tries) {
        const Name name = Name::to_open(caller, at, path, flags);
        if (const std::optional<int> fifo = open_fifo(caller, name, flags, real))
            return *fifo;
        const int file = real(name.at(), name.path());
        if (tries == 0 || name.holds())
            return file;
        if (file >= 0)
            close(file);
    }
}

FILE *stream_of(int fd, const char *mode) { return fd < 0 ? nullptr : children::open_stream(fd, mode); }

/// The mode is there if the flags say so.
#define MODE_ARGUMENT(flags)                                                                                           \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                           \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode = va_arg(arguments, mode_t);                                                                              \
        va_end(arguments);                                                                                             \
    }

/// The X of a name become characters that are the same on every rank; `make` is tried until it does not find the name
/// taken.
template <class Make> int make_temporary(char *name, int behind, Make make) {
    constexpr char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    constexpr int places = 6, tries = 10'000;
    const std::size_t size = std::strlen(name);
    char *x = name + size - static_cast<std::size_t>(behind) - places;
    if (behind < 0 || size < static_cast<std::size_t>(behind) + places || std::strncmp(x, "XXXXXX", places) != 0) {
        errno = EINVAL;
        return -1;
    }
    for (int i = 0; i < tries; ++i) {
        std::uint64_t random = mpiglut::clock::next_random();
        for (int place = 0; place < places; ++place, random /= sizeof letters - 1)
            x[place] = letters[random % (sizeof letters - 1)];
        if (const int made = make(); made >= 0 || errno != EEXIST)
            return made;
    }
    return -1;
}

int temporary_file(const void *caller, char *name, int behind, int flags) {
    const int all = (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL;
    return make_temporary(name, behind, [&] {
        return open_for(caller, AT_FDCWD, name, all,
                        [=](int, const char *other) { return REAL(open)(other, all, 0600); });
    });
}

} // namespace

#define OPEN(function)                                                                                                 \
    MPIGLUT_EXPORT int function(const char *path, int flags, ...) {                                                    \
        MODE_ARGUMENT(flags)                                                                                           \
        return open_for(MPIGLUT_FILE_CALLER, AT_FDCWD, path, flags,                                                    \
                        [=](int, const char *other) { return REAL(function)(other, flags, mode); });                   \
    }                                                                                                                  \
    static_assert(true)
OPEN(open);
OPEN(open64);

#define OPENAT(function)                                                                                               \
    MPIGLUT_EXPORT int function(int folder, const char *path, int flags, ...) {                                        \
        MODE_ARGUMENT(flags)                                                                                           \
        return open_for(MPIGLUT_FILE_CALLER, folder, path, flags,                                                      \
                        [=](int at, const char *other) { return REAL(function)(at, other, flags, mode); });            \
    }                                                                                                                  \
    static_assert(true)
OPENAT(openat);
OPENAT(openat64);

// What _FORTIFY_SOURCE makes of calls without a mode.
#define OPEN_2(function)                                                                                               \
    MPIGLUT_EXPORT int function(const char *path, int flags) {                                                         \
        return open_for(MPIGLUT_FILE_CALLER, AT_FDCWD, path, flags,                                                    \
                        [=](int, const char *other) { return REAL(function)(other, flags); });                         \
    }                                                                                                                  \
    static_assert(true)
OPEN_2(__open_2);
OPEN_2(__open64_2);

#define OPENAT_2(function)                                                                                             \
    MPIGLUT_EXPORT int function(int folder, const char *path, int flags) {                                             \
        return open_for(MPIGLUT_FILE_CALLER, folder, path, flags,                                                      \
                        [=](int at, const char *other) { return REAL(function)(at, other, flags); });                  \
    }                                                                                                                  \
    static_assert(true)
OPENAT_2(__openat_2);
OPENAT_2(__openat64_2);

#define CREAT(function)                                                                                                \
    MPIGLUT_EXPORT int function(const char *path, mode_t mode) {                                                       \
        return open_for(MPIGLUT_FILE_CALLER, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC,                             \
                        [=](int, const char *other) { return REAL(function)(other, mode); });                          \
    }                                                                                                                  \
    static_assert(true)
CREAT(creat);
CREAT(creat64);

#define FOPEN(function)                                                                                                \
    MPIGLUT_EXPORT FILE *function(const char *path, const char *mode) {                                                \
        const int flags = files::flags_of(mode);                                                                       \
        if (const int random = files::open_random(MPIGLUT_FILE_CALLER, path, flags); random >= 0)                      \
            return fdopen(random, mode);                                                                               \
        for (int tries = 3;; --tries) {                                                                                \
            const Name name = Name::to_open(MPIGLUT_FILE_CALLER, AT_FDCWD, path, flags);                               \
            const auto real = [&](int, const char *other) { return REAL(open)(other, flags, 0600); };                  \
            if (const std::optional<int> fifo = open_fifo(MPIGLUT_FILE_CALLER, name, flags, real))                     \
                return stream_of(*fifo, mode);                                                                         \
            FILE *const file = REAL(function)(name.path(), mode);                                                      \
            if (tries == 0 || name.holds())                                                                            \
                return file;                                                                                           \
            if (file)                                                                                                  \
                std::fclose(file);                                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    static_assert(true)
FOPEN(fopen);
FOPEN(fopen64);

#define FREOPEN(function)                                                                                              \
    MPIGLUT_EXPORT FILE *function(const char *path, const char *mode, FILE *file) {                                    \
        const int flags = files::flags_of(mode);                                                                       \
        if (const int random = files::open_random(MPIGLUT_FILE_CALLER, path, flags | O_CLOEXEC); random >= 0) {        \
            FILE *const opened = REAL(function)(("/proc/self/fd/" + std::to_string(random)).c_str(), mode, file);      \
            close(random);                                                                                             \
            return opened;                                                                                             \
        }                                                                                                              \
        return REAL(function)(Name::to_open(MPIGLUT_FILE_CALLER, AT_FDCWD, path, flags).path(), mode, file);           \
    }                                                                                                                  \
    static_assert(true)
FREOPEN(freopen);
FREOPEN(freopen64);

// Files with a name that was not there before. The system would give each rank another one.
#define TEMPORARY(function, parameters, behind, flags, ...)                                                            \
    MPIGLUT_EXPORT int function parameters {                                                                           \
        if (!files::serves(MPIGLUT_FILE_CALLER))                                                                       \
            return REAL(function)(__VA_ARGS__);                                                                        \
        return temporary_file(MPIGLUT_FILE_CALLER, name, behind, flags);                                               \
    }
TEMPORARY(mkstemp, (char *name), 0, 0, name)
TEMPORARY(mkstemp64, (char *name), 0, 0, name)
TEMPORARY(mkostemp, (char *name, int flags), 0, flags, name, flags)
TEMPORARY(mkostemp64, (char *name, int flags), 0, flags, name, flags)
TEMPORARY(mkstemps, (char *name, int behind), behind, 0, name, behind)
TEMPORARY(mkstemps64, (char *name, int behind), behind, 0, name, behind)
TEMPORARY(mkostemps, (char *name, int behind, int flags), behind, flags, name, behind, flags)
TEMPORARY(mkostemps64, (char *name, int behind, int flags), behind, flags, name, behind, flags)

MPIGLUT_EXPORT char *mkdtemp(char *name) noexcept {
    if (!files::serves(MPIGLUT_FILE_CALLER))
        return REAL(mkdtemp)(name);
    const int made = make_temporary(name, 0, [&] {
        files::remember(AT_FDCWD, name);
        return files::keeps() ? files::make_folder(AT_FDCWD, name, 0700) : REAL(mkdir)(name, 0700);
    });
    return made == 0 ? name : nullptr;
}
