#include "process/peer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <random>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pixmpi {

std::uint64_t hash(std::string_view bytes, std::uint64_t seed) {
    std::uint64_t h = 0xcbf29ce484222325 ^ seed;
    for (const char c : bytes)
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return h;
}

namespace {

std::string first_line(const char *path) {
    char line[128] = {};
    if (FILE *file = std::fopen(path, "re")) {
        if (!std::fgets(line, sizeof line, file))
            line[0] = 0;
        std::fclose(file);
    }
    return line;
}

std::string link_target(const char *path) {
    char target[128];
    const ssize_t length = readlink(path, target, sizeof target);
    return {target, length > 0 ? static_cast<std::size_t>(length) : 0};
}

// The same machine, and not set apart from us by a container: memory is shared where these agree.
std::string host_text(const char *host_name) {
    return first_line("/proc/sys/kernel/random/boot_id") + link_target("/proc/self/ns/net") +
           link_target("/proc/self/ns/ipc") + host_name;
}

std::uint64_t random_id() {
    std::random_device device;
    for (;;) {
        const std::uint64_t id = std::uint64_t{device()} << 32 | device();
        if (id != 0)
            return id;
    }
}

} // namespace

Card make_card() {
    static const std::uint64_t id = random_id();
    Card card{};
    card.version = card_version;
    card.pid = static_cast<std::int32_t>(syscall(SYS_getpid)); // mpiglut gives a program's ranks one number
    card.uid = getuid();
    card.id = id;
    gethostname(card.host_name, sizeof card.host_name - 1);
    const std::string host = host_text(card.host_name);
    card.host[0] = hash(host, 0);
    card.host[1] = hash(host, 0x9e3779b97f4a7c15);
    card.stage_descriptor = -1;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        std::memcpy(card.cores, &set, std::min(sizeof set, sizeof card.cores));
    return card;
}

Peer::Peer(const Card &card_) : card(card_) {}

Peer::~Peer() {
    if (!self_ && stage_.base)
        munmap(stage_.base, stage_.bytes);
    if (watch_ >= 0)
        close(watch_);
}

bool Peer::map(const StageMap *self) {
    if (self) {
        self_ = true;
        stage_ = *self;
        return true;
    }
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", card.pid, card.stage_descriptor);
    const int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    struct stat status {};
    const int seals = fcntl(descriptor, F_GET_SEALS);
    const bool as_expected = seals >= 0 && (seals & stage_seals) == stage_seals && fstat(descriptor, &status) == 0 &&
                             static_cast<std::uint64_t>(status.st_size) == card.stage_bytes &&
                             card.stage_bytes >= flows_offset;
    void *base = MAP_FAILED;
    if (as_expected)
        base = mmap(nullptr, card.stage_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (base == MAP_FAILED)
        return false;
    // In another PID namespace the number may be that of some other process, so the memory has to name its owner.
    const auto &header = *static_cast<const StageHeader *>(base);
    const std::uint32_t flows = once(header.flows);
    if (once(header.magic) != stage_magic || once(header.owner) != card.id || once(header.bytes) != card.stage_bytes ||
        flows_offset + std::uint64_t{flows} * sizeof(Flow) > card.stage_bytes) {
        munmap(base, card.stage_bytes);
        return false;
    }
    stage_ = {static_cast<std::byte *>(base), card.stage_bytes, flows};
#ifdef SYS_pidfd_open
    watch_ = static_cast<int>(syscall(SYS_pidfd_open, card.pid, 0));
#endif
    return true;
}

bool Peer::ended() const {
    pollfd descriptor{watch_, POLLIN, 0};
    return watch_ >= 0 && poll(&descriptor, 1, 0) == 1;
}

} // namespace pixmpi
