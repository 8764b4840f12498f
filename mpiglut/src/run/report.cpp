#include "run/report.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <unistd.h>

namespace mpiglut {

namespace {

std::atomic<int> report_fd{-1};

/// Writes without waiting and without dying: the reader may be slow, or gone.
bool write_once(int fd, std::string_view line) {
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t written;
    do
        written = write(fd, line.data(), line.size());
    while (written < 0 && errno == EINTR);
    if (written < 0 && errno == EPIPE && !sigismember(&before, SIGPIPE)) {
        const timespec now{};
        sigtimedwait(&pipe_signal, nullptr, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return written >= 0;
}

} // namespace

void set_report_fd(int fd) {
    // Not close-on-exec: the program may be a script that starts the real one.
    if (fd >= 0)
        if (const int flags = fcntl(fd, F_GETFL); flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
            fd = -1;
    report_fd = fd;
}

void report(Report kind, const std::string &text) {
    const int fd = report_fd;
    std::string line = fd < 0 ? "mpiglut: " : kind == Report::error ? "error: " : "note: ";
    line += text;
    for (char &c : line)
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
            c = ' ';
    line.resize(std::min<std::size_t>(line.size(), PIPE_BUF - 1)); // the most that is written in one piece
    line += '\n';
    if (!write_once(fd < 0 ? STDERR_FILENO : fd, line) && fd >= 0)
        write_once(STDERR_FILENO, line);
}

void report_in_handler(std::string_view line) {
    const int fd = report_fd, error = errno;
    if (fd >= 0)
        write_once(fd, line);
    errno = error;
}

void report_once(Report kind, const std::string &text) {
    struct Known {
        std::mutex mutex;
        std::set<std::string> texts;
    };
    static auto *const known = new Known; // exit handlers of the program report, too
    {
        const std::lock_guard lock(known->mutex);
        if (!known->texts.insert(text).second)
            return;
    }
    report(kind, text);
}

} // namespace mpiglut
