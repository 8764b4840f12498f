// Looking at files by name.

#include "base/export.h"
#include "base/real.h"
#include "files/names.h"
#include "files/served.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace files = mpiglut::files;
using files::Last;
using files::look;
using files::Name;

// What <sys/stat.h> called in programs that were built for older C libraries; and what _FORTIFY_SOURCE calls.
extern "C" {
int __xstat(int version, const char *path, struct stat *what) noexcept;
int __lxstat(int version, const char *path, struct stat *what) noexcept;
int __fxstatat(int version, int at, const char *path, struct stat *what, int flags) noexcept;
int __xstat64(int version, const char *path, struct stat64 *what) noexcept;
int __lxstat64(int version, const char *path, struct stat64 *what) noexcept;
int __fxstatat64(int version, int at, const char *path, struct stat64 *what, int flags) noexcept;
ssize_t __readlink_chk(const char *path, char *target, std::size_t size, std::size_t room);
char *__realpath_chk(const char *path, char *result, std::size_t room);
}

namespace {

Last last(int flags) { return flags & AT_SYMLINK_NOFOLLOW ? Last::itself : Last::followed; }

char *realpath_for(const void *caller, const char *path, char *result) {
    if (path && files::keeps() && files::serves(caller))
        if (const std::string own = files::own_name(path); !own.empty() && own.size() < PATH_MAX)
            return result ? std::strcpy(result, own.c_str()) : strdup(own.c_str());
    return REAL(realpath)(Name(caller, AT_FDCWD, path).path(), result);
}

} // namespace

#define STAT(function, type, last)                                                                                     \
    MPIGLUT_EXPORT int function(const char *path, type *what) noexcept {                                               \
        return look(MPIGLUT_FILE_CALLER, AT_FDCWD, path, last,                                                         \
                    [&](int, const char *there) { return REAL(function)(there, what); });                              \
    }                                                                                                                  \
    static_assert(true)
STAT(stat, struct stat, Last::followed);
STAT(stat64, struct stat64, Last::followed);
STAT(lstat, struct stat, Last::itself);
STAT(lstat64, struct stat64, Last::itself);

#define XSTAT(function, type, last)                                                                                    \
    MPIGLUT_EXPORT int function(int version, const char *path, type *what) noexcept {                                  \
        return look(MPIGLUT_FILE_CALLER, AT_FDCWD, path, last,                                                         \
                    [&](int, const char *there) { return REAL(function)(version, there, what); });                     \
    }                                                                                                                  \
    static_assert(true)
XSTAT(__xstat, struct stat, Last::followed);
XSTAT(__xstat64, struct stat64, Last::followed);
XSTAT(__lxstat, struct stat, Last::itself);
XSTAT(__lxstat64, struct stat64, Last::itself);

#define STATAT(function, type)                                                                                         \
    MPIGLUT_EXPORT int function(int at, const char *path, type *what, int flags) noexcept {                            \
        return look(MPIGLUT_FILE_CALLER, at, path, last(flags),                                                        \
                    [&](int from, const char *there) { return REAL(function)(from, there, what, flags); });            \
    }                                                                                                                  \
    static_assert(true)
STATAT(fstatat, struct stat);
STATAT(fstatat64, struct stat64);

#define XSTATAT(function, type)                                                                                        \
    MPIGLUT_EXPORT int function(int version, int at, const char *path, type *what, int flags) noexcept {               \
        return look(MPIGLUT_FILE_CALLER, at, path, last(flags),                                                        \
                    [&](int from, const char *there) { return REAL(function)(version, from, there, what, flags); });   \
    }                                                                                                                  \
    static_assert(true)
XSTATAT(__fxstatat, struct stat);
XSTATAT(__fxstatat64, struct stat64);

MPIGLUT_EXPORT int statx(int at, const char *path, int flags, unsigned mask, struct statx *what) noexcept {
    return look(MPIGLUT_FILE_CALLER, at, path, last(flags),
                [&](int from, const char *there) { return REAL(statx)(from, there, flags, mask, what); });
}

MPIGLUT_EXPORT int access(const char *path, int how) noexcept {
    return look(MPIGLUT_FILE_CALLER, AT_FDCWD, path, Last::followed,
                [&](int, const char *there) { return REAL(access)(there, how); });
}
MPIGLUT_EXPORT int euidaccess(const char *path, int how) noexcept {
    return look(MPIGLUT_FILE_CALLER, AT_FDCWD, path, Last::followed,
                [&](int, const char *there) { return REAL(euidaccess)(there, how); });
}
MPIGLUT_EXPORT int eaccess(const char *path, int how) noexcept {
    return look(MPIGLUT_FILE_CALLER, AT_FDCWD, path, Last::followed,
                [&](int, const char *there) { return REAL(eaccess)(there, how); });
}
MPIGLUT_EXPORT int faccessat(int at, const char *path, int how, int flags) noexcept {
    return look(MPIGLUT_FILE_CALLER, at, path, last(flags),
                [&](int from, const char *there) { return REAL(faccessat)(from, there, how, flags); });
}

MPIGLUT_EXPORT ssize_t readlink(const char *path, char *target, std::size_t size) noexcept {
    return look(MPIGLUT_FILE_CALLER, AT_FDCWD, path, Last::itself,
                [&](int, const char *there) { return REAL(readlink)(there, target, size); });
}
MPIGLUT_EXPORT ssize_t readlinkat(int at, const char *path, char *target, std::size_t size) noexcept {
    return look(MPIGLUT_FILE_CALLER, at, path, Last::itself,
                [&](int from, const char *there) { return REAL(readlinkat)(from, there, target, size); });
}
MPIGLUT_EXPORT ssize_t __readlink_chk(const char *path, char *target, std::size_t size, std::size_t room) {
    return look(MPIGLUT_FILE_CALLER, AT_FDCWD, path, Last::itself,
                [&](int, const char *there) { return REAL(__readlink_chk)(there, target, size, room); });
}

// Also into a folder that this rank alone has made so far.
MPIGLUT_EXPORT int chdir(const char *path) noexcept {
    return REAL(chdir)(Name(MPIGLUT_FILE_CALLER, AT_FDCWD, path).path());
}
MPIGLUT_EXPORT char *getcwd(char *folder, std::size_t size) noexcept {
    char *found = REAL(getcwd)(folder, size);
    if (found && files::keeps() && files::serves(MPIGLUT_FILE_CALLER))
        std::strcpy(found, files::shown(found).c_str()); // never longer
    return found;
}

MPIGLUT_EXPORT char *realpath(const char *path, char *result) noexcept {
    return realpath_for(MPIGLUT_FILE_CALLER, path, result);
}
MPIGLUT_EXPORT char *__realpath_chk(const char *path, char *result, std::size_t room) {
    if (room < PATH_MAX)
        return REAL(__realpath_chk)(path, result, room);
    return realpath_for(MPIGLUT_FILE_CALLER, path, result);
}
