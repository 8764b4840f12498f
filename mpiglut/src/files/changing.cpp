// Making, moving and removing files by name.

#include "base/export.h"
#include "base/real.h"
#include "files/names.h"
#include "files/served.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

namespace files = mpiglut::files;
using files::Name;

namespace {
/// Whether this rank keeps its changes to itself. If not, rank 0 may have to keep what was there before.
bool keeps(const void *caller, int at, const char *path) {
    if (!files::serves(caller))
        return false;
    files::remember(at, path);
    return files::keeps();
}
bool keeps(const void *caller, int from_at, const char *from, int to_at, const char *to) {
    if (!files::serves(caller))
        return false;
    files::remember_move(from_at, from, to_at, to);
    return files::keeps();
}
} // namespace

MPIGLUT_EXPORT int rename(const char *from, const char *to) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, AT_FDCWD, from, AT_FDCWD, to) ? files::move(AT_FDCWD, from, AT_FDCWD, to, true)
                                                                    : REAL(rename)(from, to);
}
MPIGLUT_EXPORT int renameat(int from_at, const char *from, int to_at, const char *to) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, from_at, from, to_at, to) ? files::move(from_at, from, to_at, to, true)
                                                                : REAL(renameat)(from_at, from, to_at, to);
}
MPIGLUT_EXPORT int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) noexcept {
    if (!keeps(MPIGLUT_FILE_CALLER, from_at, from, to_at, to))
        return REAL(renameat2)(from_at, from, to_at, to, flags);
    if ((flags & ~static_cast<unsigned>(RENAME_NOREPLACE)) == 0)
        return files::move(from_at, from, to_at, to, flags == 0);
    errno = EINVAL; // as file systems that cannot exchange files say
    return -1;
}

MPIGLUT_EXPORT int unlink(const char *path) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, AT_FDCWD, path) ? files::remove_file(AT_FDCWD, path) : REAL(unlink)(path);
}
MPIGLUT_EXPORT int rmdir(const char *path) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, AT_FDCWD, path) ? files::remove_folder(AT_FDCWD, path) : REAL(rmdir)(path);
}
MPIGLUT_EXPORT int unlinkat(int at, const char *path, int flags) noexcept {
    if (!keeps(MPIGLUT_FILE_CALLER, at, path))
        return REAL(unlinkat)(at, path, flags);
    return flags & AT_REMOVEDIR ? files::remove_folder(at, path) : files::remove_file(at, path);
}
MPIGLUT_EXPORT int remove(const char *path) noexcept {
    if (!keeps(MPIGLUT_FILE_CALLER, AT_FDCWD, path))
        return REAL(remove)(path);
    const int error = errno;
    if (files::remove_folder(AT_FDCWD, path) == 0)
        return 0;
    if (errno != ENOTDIR)
        return -1;
    errno = error;
    return files::remove_file(AT_FDCWD, path);
}

MPIGLUT_EXPORT int mkdir(const char *path, mode_t mode) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, AT_FDCWD, path) ? files::make_folder(AT_FDCWD, path, mode)
                                                      : REAL(mkdir)(path, mode);
}
MPIGLUT_EXPORT int mkdirat(int at, const char *path, mode_t mode) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, at, path) ? files::make_folder(at, path, mode) : REAL(mkdirat)(at, path, mode);
}

MPIGLUT_EXPORT int mkfifo(const char *path, mode_t mode) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, AT_FDCWD, path) ? files::make_node(AT_FDCWD, path, mode | S_IFIFO, 0)
                                                      : REAL(mkfifo)(path, mode);
}
MPIGLUT_EXPORT int mkfifoat(int at, const char *path, mode_t mode) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, at, path) ? files::make_node(at, path, mode | S_IFIFO, 0)
                                                : REAL(mkfifoat)(at, path, mode);
}
MPIGLUT_EXPORT int mknod(const char *path, mode_t mode, dev_t device) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, AT_FDCWD, path) ? files::make_node(AT_FDCWD, path, mode, device)
                                                      : REAL(mknod)(path, mode, device);
}
MPIGLUT_EXPORT int mknodat(int at, const char *path, mode_t mode, dev_t device) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, at, path) ? files::make_node(at, path, mode, device)
                                                : REAL(mknodat)(at, path, mode, device);
}

MPIGLUT_EXPORT int symlink(const char *target, const char *path) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, AT_FDCWD, path) ? files::make_link(target, AT_FDCWD, path)
                                                      : REAL(symlink)(target, path);
}
MPIGLUT_EXPORT int symlinkat(const char *target, int at, const char *path) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, at, path) ? files::make_link(target, at, path)
                                                : REAL(symlinkat)(target, at, path);
}
MPIGLUT_EXPORT int link(const char *from, const char *to) noexcept {
    return keeps(MPIGLUT_FILE_CALLER, AT_FDCWD, to)
               ? files::make_second_name(AT_FDCWD, from, AT_FDCWD, to, files::Last::itself)
               : REAL(link)(from, to);
}
MPIGLUT_EXPORT int linkat(int from_at, const char *from, int to_at, const char *to, int flags) noexcept {
    if (!keeps(MPIGLUT_FILE_CALLER, to_at, to))
        return REAL(linkat)(from_at, from, to_at, to, flags);
    if (flags & AT_EMPTY_PATH && !*from) {
        const std::string file = "/proc/self/fd/" + std::to_string(from_at);
        return files::make_second_name(AT_FDCWD, file.c_str(), to_at, to, files::Last::followed);
    }
    return files::make_second_name(from_at, from, to_at, to,
                                   flags & AT_SYMLINK_FOLLOW ? files::Last::followed : files::Last::itself);
}

MPIGLUT_EXPORT int truncate(const char *path, off_t size) noexcept {
    return REAL(truncate)(Name::to_open(MPIGLUT_FILE_CALLER, AT_FDCWD, path, O_WRONLY).path(), size);
}
MPIGLUT_EXPORT int truncate64(const char *path, off64_t size) noexcept {
    return REAL(truncate64)(Name::to_open(MPIGLUT_FILE_CALLER, AT_FDCWD, path, O_WRONLY).path(), size);
}

// The properties of a file, without its bytes: the same from every rank.
MPIGLUT_EXPORT int chmod(const char *path, mode_t mode) noexcept {
    return REAL(chmod)(Name(MPIGLUT_FILE_CALLER, AT_FDCWD, path).path(), mode);
}
MPIGLUT_EXPORT int fchmodat(int at, const char *path, mode_t mode, int flags) noexcept {
    const Name name(MPIGLUT_FILE_CALLER, at, path);
    return REAL(fchmodat)(name.at(), name.path(), mode, flags);
}
MPIGLUT_EXPORT int utime(const char *path, const utimbuf *times) noexcept {
    return REAL(utime)(Name(MPIGLUT_FILE_CALLER, AT_FDCWD, path).path(), times);
}
MPIGLUT_EXPORT int utimes(const char *path, const timeval *times) noexcept {
    return REAL(utimes)(Name(MPIGLUT_FILE_CALLER, AT_FDCWD, path).path(), times);
}
MPIGLUT_EXPORT int utimensat(int at, const char *path, const timespec *times, int flags) noexcept {
    const Name name(MPIGLUT_FILE_CALLER, at, path);
    return REAL(utimensat)(name.at(), name.path(), times, flags);
}
