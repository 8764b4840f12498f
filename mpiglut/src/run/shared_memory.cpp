#include "run/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut {

namespace {

void *map(int fd, std::size_t bytes) {
    void *memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace

void *make_shared_memory(const char *name, std::size_t bytes, int &fd) {
    fd = ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(bytes)) != 0)
        return nullptr;
    // The other process could make it smaller, and an access beyond the end would end this one.
    ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return map(fd, bytes);
}

void *map_shared_memory(int fd, std::size_t least, std::size_t &bytes) {
    struct stat facts {};
    if (fd < 0 || ::fstat(fd, &facts) != 0 || facts.st_size < static_cast<off_t>(least))
        return nullptr;
    bytes = static_cast<std::size_t>(facts.st_size);
    return map(fd, bytes);
}

} // namespace mpiglut
