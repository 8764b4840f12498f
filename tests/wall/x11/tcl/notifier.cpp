// What Tcl's notifier does, in a library with such a name: a thread looks at descriptors for the one that waits, and tells
// it by a condition.
#include <cerrno>
#include <pthread.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t told = PTHREAD_COND_INITIALIZER;
int trigger[2], watched = -1;
bool waits = false, event_ready = false, readable = false;
pthread_t thread;

void *look(void *) {
    for (bool ends = false; !ends;) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(trigger[0], &set);
        pthread_mutex_lock(&mutex);
        const int fd = waits ? watched : -1;
        pthread_mutex_unlock(&mutex);
        if (fd >= 0)
            FD_SET(fd, &set);
        if (select((fd > trigger[0] ? fd : trigger[0]) + 1, &set, nullptr, nullptr, nullptr) <= 0)
            continue;
        pthread_mutex_lock(&mutex);
        if (fd >= 0 && FD_ISSET(fd, &set) && waits) {
            waits = false;
            event_ready = readable = true;
            pthread_cond_broadcast(&told);
        }
        pthread_mutex_unlock(&mutex);
        char byte = 0;
        if (FD_ISSET(trigger[0], &set) && read(trigger[0], &byte, 1) == 1)
            ends = byte == 'q';
    }
    return nullptr;
}

void wake(char byte) {
    while (write(trigger[1], &byte, 1) < 0 && errno == EINTR) {
    }
}

} // namespace

extern "C" void begin_notifier(int fd) {
    watched = fd;
    if (pipe(trigger) == 0)
        pthread_create(&thread, nullptr, look, nullptr);
}

/// Returns whether there is something to read; waits for that, or for so long.
extern "C" bool wait_for_event(int milliseconds) {
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds * 1'000'000L;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    pthread_mutex_lock(&mutex);
    readable = event_ready = false;
    waits = true;
    wake(0);
    if (!event_ready)
        pthread_cond_timedwait(&told, &mutex, &until);
    if (waits) {
        waits = false;
        wake(0);
    }
    const bool found = readable;
    pthread_mutex_unlock(&mutex);
    return found;
}

extern "C" void end_notifier() {
    wake('q');
    pthread_join(thread, nullptr);
}
