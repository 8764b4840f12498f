// Shared memory and semaphores with names. The ones that the program makes are each rank's own, except rank 0's, in a
// file of the rank's folder. Older ones are shared with their makers.

#include "base/export.h"
#include "base/real.h"
#include "files/overlay.h"
#include "files/served.h"
#include "files/view.h"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <semaphore.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::files {

namespace {

/// Where Linux has it; empty: none of ours.
std::string place(const char *kind, const char *name) {
    std::string text = name ? name : "";
    text.erase(0, text.find_first_not_of('/'));
    return text.empty() || text.find('/') != text.npos ? "" : std::string("/dev/shm/") + kind + text;
}

/// Whether rank 0 makes it shows from now on.
void remember_place(const std::string &key) {
    Store *const before = view().before;
    if (!view().own && before && !key.empty() && before->kind(key) == Kind::none && kind_at(key) == Kind::none)
        before->mark_gone(key);
}

/// This rank has or makes its own under this key. `exists`: there is one.
bool is_own_place(const std::string &key, bool makes, bool &exists) {
    const Found found = key.empty() ? Found{} : find(key);
    exists = found.own;
    return !key.empty() && (found.own || found.path != key || (makes && (found.kind == Kind::none || is_twin(key))));
}

int unlink_place(const std::string &key) {
    const Found found = find(key);
    if (found.kind == Kind::none) {
        errno = ENOENT;
        return -1;
    }
    if (found.own)
        REAL(unlink)(found.path.c_str());
    view().own->mark_gone(key);
    return 0;
}

struct OwnSemaphores {
    std::mutex mutex;
    std::map<std::string, sem_t *> by_key;
    std::map<sem_t *, int> users;
};
OwnSemaphores &semaphores() {
    static auto *const all = new OwnSemaphores;
    return *all;
}

sem_t *open_semaphore(const std::string &key, bool exists, int flags, mode_t mode, unsigned value) {
    OwnSemaphores &all = semaphores();
    const std::lock_guard lock(all.mutex);
    if (!exists && !(flags & O_CREAT)) {
        errno = ENOENT;
        return SEM_FAILED;
    }
    if (exists && (flags & O_CREAT) && (flags & O_EXCL)) {
        errno = EEXIST;
        return SEM_FAILED;
    }
    if (const auto known = all.by_key.find(key); exists && known != all.by_key.end()) {
        ++all.users[known->second];
        return known->second;
    }
    const std::string file = view().own->make_room(key);
    const int fd = REAL(open)(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode);
    void *memory = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, sizeof(sem_t)) == 0)
        memory = mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (memory == MAP_FAILED)
        return SEM_FAILED;
    auto *const semaphore = static_cast<sem_t *>(memory);
    if (!exists && sem_init(semaphore, 1, value) != 0)
        return SEM_FAILED;
    all.by_key[key] = semaphore;
    all.users[semaphore] = 1;
    return semaphore;
}

bool close_semaphore(sem_t *semaphore) {
    OwnSemaphores &all = semaphores();
    const std::lock_guard lock(all.mutex);
    const auto found = all.users.find(semaphore);
    if (found == all.users.end())
        return false;
    if (--found->second > 0)
        return true;
    all.users.erase(found);
    std::erase_if(all.by_key, [&](const auto &entry) { return entry.second == semaphore; });
    munmap(semaphore, sizeof(sem_t));
    return true;
}

} // namespace

} // namespace mpiglut::files

namespace files = mpiglut::files;

MPIGLUT_EXPORT int shm_open(const char *name, int flags, mode_t mode) {
    if (!files::serves(MPIGLUT_FILE_CALLER))
        return REAL(shm_open)(name, flags, mode);
    const std::string key = files::place("", name);
    bool exists = false;
    if (!files::keeps() || !files::is_own_place(key, flags & O_CREAT, exists)) {
        files::remember_place(key);
        return REAL(shm_open)(name, flags, mode);
    }
    if (!exists && !(flags & O_CREAT)) {
        errno = ENOENT;
        return -1;
    }
    const std::string file = exists ? files::view().own->path(key) : files::view().own->make_room(key);
    return REAL(open)(file.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode);
}

MPIGLUT_EXPORT int shm_unlink(const char *name) {
    const std::string key = files::place("", name);
    if (key.empty() || !files::serves(MPIGLUT_FILE_CALLER) || !files::keeps())
        return REAL(shm_unlink)(name);
    return files::unlink_place(key);
}

MPIGLUT_EXPORT sem_t *sem_open(const char *name, int flags, ...) noexcept {
    mode_t mode = 0;
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        value = va_arg(rest, unsigned);
        va_end(rest);
    }
    if (!files::serves(MPIGLUT_FILE_CALLER))
        return REAL(sem_open)(name, flags, mode, value);
    const std::string key = files::place("sem.", name);
    bool exists = false;
    if (files::keeps() && files::is_own_place(key, flags & O_CREAT, exists))
        return files::open_semaphore(key, exists, flags, mode, value);
    files::remember_place(key);
    return REAL(sem_open)(name, flags, mode, value);
}

MPIGLUT_EXPORT int sem_close(sem_t *semaphore) noexcept {
    return files::close_semaphore(semaphore) ? 0 : REAL(sem_close)(semaphore);
}

MPIGLUT_EXPORT int sem_unlink(const char *name) noexcept {
    const std::string key = files::place("sem.", name);
    if (key.empty() || !files::serves(MPIGLUT_FILE_CALLER) || !files::keeps())
        return REAL(sem_unlink)(name);
    return files::unlink_place(key);
}
