// Opening files: the program's calls, and those that the C++ library's streams make for it.

#include "base/export.h"
#include "base/real.h"
#include "clock/virtual.h"
#include "files/names.h"
#include "files/served.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace files = mpiglut::files;
using files::Name;

extern "C" {
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);
}

namespace {

int open_for(const void *caller, int at, const char *path, int flags, mode_t mode) {
    if (const int random = files::open_random(caller, path, flags); random >= 0)
        return random;
    const Name name = Name::to_open(caller, at, path, flags);
    return REAL(openat)(name.at(), name.path(), flags, mode);
}

FILE *fopen_for(const void *caller, const char *path, const char *mode) {
    const int flags = files::flags_of(mode);
    if (const int random = files::open_random(caller, path, flags); random >= 0)
        return fdopen(random, mode);
    return REAL(fopen64)(Name::to_open(caller, AT_FDCWD, path, flags).path(), mode);
}

FILE *freopen_for(const void *caller, const char *path, const char *mode, FILE *file) {
    return REAL(freopen64)(Name::to_open(caller, AT_FDCWD, path, files::flags_of(mode)).path(), mode, file);
}

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
    return make_temporary(name, behind, [&] {
        return open_for(caller, AT_FDCWD, name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
    });
}

} // namespace

MPIGLUT_EXPORT int open(const char *path, int flags, ...) {
    MODE_ARGUMENT(flags)
    return open_for(MPIGLUT_FILE_CALLER, AT_FDCWD, path, flags, mode);
}
MPIGLUT_EXPORT int open64(const char *path, int flags, ...) {
    MODE_ARGUMENT(flags)
    return open_for(MPIGLUT_FILE_CALLER, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
MPIGLUT_EXPORT int openat(int at, const char *path, int flags, ...) {
    MODE_ARGUMENT(flags)
    return open_for(MPIGLUT_FILE_CALLER, at, path, flags, mode);
}
MPIGLUT_EXPORT int openat64(int at, const char *path, int flags, ...) {
    MODE_ARGUMENT(flags)
    return open_for(MPIGLUT_FILE_CALLER, at, path, flags | O_LARGEFILE, mode);
}
// What _FORTIFY_SOURCE makes of calls without a mode.
MPIGLUT_EXPORT int __open_2(const char *path, int flags) {
    return open_for(MPIGLUT_FILE_CALLER, AT_FDCWD, path, flags, 0);
}
MPIGLUT_EXPORT int __open64_2(const char *path, int flags) {
    return open_for(MPIGLUT_FILE_CALLER, AT_FDCWD, path, flags | O_LARGEFILE, 0);
}
MPIGLUT_EXPORT int __openat_2(int at, const char *path, int flags) {
    return open_for(MPIGLUT_FILE_CALLER, at, path, flags, 0);
}
MPIGLUT_EXPORT int __openat64_2(int at, const char *path, int flags) {
    return open_for(MPIGLUT_FILE_CALLER, at, path, flags | O_LARGEFILE, 0);
}
MPIGLUT_EXPORT int creat(const char *path, mode_t mode) {
    return open_for(MPIGLUT_FILE_CALLER, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
MPIGLUT_EXPORT int creat64(const char *path, mode_t mode) {
    return open_for(MPIGLUT_FILE_CALLER, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_LARGEFILE, mode);
}

MPIGLUT_EXPORT FILE *fopen(const char *path, const char *mode) { return fopen_for(MPIGLUT_FILE_CALLER, path, mode); }
MPIGLUT_EXPORT FILE *fopen64(const char *path, const char *mode) { return fopen_for(MPIGLUT_FILE_CALLER, path, mode); }
MPIGLUT_EXPORT FILE *freopen(const char *path, const char *mode, FILE *file) {
    return freopen_for(MPIGLUT_FILE_CALLER, path, mode, file);
}
MPIGLUT_EXPORT FILE *freopen64(const char *path, const char *mode, FILE *file) {
    return freopen_for(MPIGLUT_FILE_CALLER, path, mode, file);
}

MPIGLUT_EXPORT DIR *opendir(const char *path) {
    return REAL(opendir)(Name(MPIGLUT_FILE_CALLER, AT_FDCWD, path).path());
}

#define READDIR(function, type)                                                                                        \
    MPIGLUT_EXPORT type *function(DIR *folder) {                                                                       \
        type *entry;                                                                                                   \
        while ((entry = REAL(function)(folder)) && entry->d_type == DT_LNK && files::keeps() &&                        \
               files::serves(MPIGLUT_FILE_CALLER) && !files::is_listed(folder, entry->d_name)) {                       \
        }                                                                                                              \
        return entry;                                                                                                  \
    }                                                                                                                  \
    static_assert(true)
READDIR(readdir, dirent);
READDIR(readdir64, dirent64);

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
        return files::keeps() ? files::make_folder(AT_FDCWD, name, 0700) : REAL(mkdir)(name, 0700);
    });
    return made == 0 ? name : nullptr;
}
