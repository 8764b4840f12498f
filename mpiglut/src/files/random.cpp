// What the system makes up. /dev/urandom and /dev/random: a pipe that a thread keeps filled, so that it gives as many
// bytes as are read, in whatever way. Files of /proc/sys/kernel are files in memory.

#include "base/real.h"
#include "clock/virtual.h"
#include "files/names.h"
#include "files/served.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace mpiglut::files {

namespace {

struct Source {
    int pipe;
    std::uint64_t state;

    /// False when it is not read any more.
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

int open_endless(int flags) {
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

int open_text(const std::string &text, int flags) {
    const int file = memfd_create("mpiglut", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    if (file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        lseek(file, 0, SEEK_SET) == 0)
        return file;
    close(file);
    return -1;
}

/// Of version 4, as the kernel writes it.
std::string uuid(std::uint64_t high, std::uint64_t low) {
    char text[40];
    std::snprintf(text, sizeof text, "%08x-%04x-4%03x-%04x-%012llx\n", static_cast<unsigned>(high >> 32),
                  static_cast<unsigned>(high >> 16 & 0xffff), static_cast<unsigned>(high & 0xfff),
                  static_cast<unsigned>((low >> 48 & 0x3fff) | 0x8000),
                  static_cast<unsigned long long>(low & 0xffffffffffff));
    return text;
}

} // namespace

int open_random(const void *caller, const char *path, int flags) {
    const std::string_view name = path ? path : "";
    const bool of_kernel = name.starts_with("/proc/sys/kernel/");
    if ((!of_kernel && name != "/dev/urandom" && name != "/dev/random") || (flags & O_ACCMODE) == O_WRONLY)
        return -1;
    if (of_kernel && name.ends_with("/hostname"))
        return *clock::virtual_host() && serves(caller) ? open_text(std::string(clock::virtual_host()) + "\n", flags)
                                                        : -1;
    if (!clock::shares_random(caller))
        return -1;
    if (!of_kernel)
        return open_endless(flags);
    if (name.ends_with("/random/uuid"))
        return open_text(uuid(clock::next_random(), clock::next_random()), flags);
    return name.ends_with("/random/boot_id")
               ? open_text(uuid(clock::constant_random(2), clock::constant_random(3)), flags)
               : -1;
}

} // namespace mpiglut::files
