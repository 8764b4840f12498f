// /dev/urandom and /dev/random: a pipe that a thread keeps filled, so that it gives as many bytes as anybody reads, in
// whatever way.

#include "base/real.h"
#include "clock/clock.h"
#include "clock/virtual.h"
#include "files/names.h"
#include "files/served.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

namespace mpiglut::files {

namespace {

struct Source {
    int pipe;
    std::uint64_t state;

    /// False when nobody reads any more.
    bool write_some() {
        std::array<std::uint64_t, 512> block; // 4 KiB: in one piece, or not at all
        std::uint64_t next = state;
        for (std::uint64_t &word : block) { // xorshift64*
            next ^= next >> 12;
            next ^= next << 25;
            next ^= next >> 27;
            word = next * 0x2545f4914f6cdd1dull;
        }
        ssize_t written;
        while ((written = write(pipe, block.data(), sizeof block)) < 0 && errno == EINTR) {
        }
        if (written > 0)
            state = next;
        return written > 0;
    }
};

void *feed(void *data) {
    auto *source = static_cast<Source *>(data);
    while (source->write_some()) {
    }
    close(source->pipe);
    delete source;
    return nullptr;
}

/// A thread that gets none of the program's signals; SIGPIPE would be its own.
bool start_feeding(Source *source) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&small, 256u << 10);
    pthread_t thread;
    const bool started = pthread_create(&thread, &small, feed, source) == 0;
    pthread_attr_destroy(&small);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

} // namespace

int open_random(const void *caller, const char *path, int flags) {
    if (!path || (std::strcmp(path, "/dev/urandom") != 0 && std::strcmp(path, "/dev/random") != 0))
        return -1;
    if ((flags & O_ACCMODE) == O_WRONLY || !clock::is_virtual() || !serves(caller))
        return -1;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    if (!(flags & O_CLOEXEC))
        fcntl(ends[0], F_SETFD, 0);
    auto *source = new Source{ends[1], clock::next_random() | 1};
    source->write_some(); // so that it is never found empty
    if (start_feeding(source))
        return ends[0];
    close(ends[0]);
    close(ends[1]);
    delete source;
    return -1;
}

} // namespace mpiglut::files
