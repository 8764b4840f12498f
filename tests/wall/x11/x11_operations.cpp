// A program of Xlib without GLUT or OpenGL: x11_operations WAY.  It sends itself input by XTEST, tells each event,
// and draws for each. WAY says how it waits: select, poll, epoll (also with an eventfd), blocking, sorted (by poll,
// with pipes, in the order of their numbers), or reader (a thread that reads events, while main() waits for it).
// "rank" draws what depends on the rank, and "shorter" leaves a request out there.
#include <X11/extensions/XTest.h>
#include <X11/Xlib.h>

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

constexpr int rounds = 20, size = 300;

Display *display;
Window window;
GC context;
int events = 0, in_vain = 0;

void make_window() {
    display = XOpenDisplay(nullptr);
    if (!display) {
        std::printf("no display\n");
        std::exit(3);
    }
    XSetWindowAttributes attributes{};
    attributes.override_redirect = True; // there is no window manager to wait for
    attributes.event_mask = ExposureMask | PointerMotionMask | ButtonPressMask | ButtonReleaseMask | KeyPressMask |
                            StructureNotifyMask | PropertyChangeMask;
    window = XCreateWindow(display, DefaultRootWindow(display), 0, 0, size, size, 0, CopyFromParent, InputOutput,
                           CopyFromParent, CWOverrideRedirect | CWEventMask, &attributes);
    context = XCreateGC(display, window, 0, nullptr);
    XMapRaised(display, window);
    for (XEvent event; XNextEvent(display, &event), event.type != MapNotify;) {
    }
    XSetInputFocus(display, window, RevertToParent, CurrentTime);
    XSync(display, False);
    std::printf("ready, %d extensions or more\n", XTestQueryExtension(display, &events, &events, &events, &events));
    events = 0;
}

void send_input(int round) {
    XTestFakeMotionEvent(display, -1, 20 + 9 * round % 200, 30 + 7 * round, CurrentTime);
    XTestFakeButtonEvent(display, 1, True, CurrentTime);
    XTestFakeButtonEvent(display, 1, False, CurrentTime);
    XFlush(display);
}

void tell(const XEvent &event) {
    ++events;
    XSetForeground(display, context, static_cast<unsigned long>(events) * 0x010203);
    if (event.type == MotionNotify) {
        std::printf("motion %d %d\n", event.xmotion.x, event.xmotion.y);
        XFillRectangle(display, window, context, event.xmotion.x, event.xmotion.y, 7, 7);
    } else if (event.type == ButtonPress || event.type == ButtonRelease) {
        std::printf("button %d at %lu\n", event.type, event.xbutton.time);
        XDrawLine(display, window, context, 0, 0, event.xbutton.x, event.xbutton.y);
    } else {
        std::printf("event %d\n", event.type);
    }
}

/// What has come is told; has anything?
bool take_in() {
    bool any = false;
    for (XEvent event; XPending(display) > 0; any = true) {
        XNextEvent(display, &event);
        tell(event);
    }
    XFlush(display);
    return any;
}

void wait_by_select() {
    const int fd = ConnectionNumber(display);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    timeval time{0, 30'000};
    in_vain += select(fd + 1, &set, nullptr, nullptr, &time) == 0;
}

/// What a program does that has closed a descriptor and not noticed.
void select_what_is_closed() {
    const int closed = fcntl(STDIN_FILENO, F_DUPFD, 200); // others take lower ones
    close(closed);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ConnectionNumber(display), &set);
    FD_SET(closed, &set);
    const bool failed = select(closed + 1, &set, nullptr, nullptr, nullptr) == -1 && errno == EBADF;
    std::printf("closed: %d\n", failed);
}

int rank_here() {
    const char *const rank = std::getenv("PMI_RANK"), *const of_open_mpi = std::getenv("OMPI_COMM_WORLD_RANK");
    return std::atoi(rank ? rank : of_open_mpi ? of_open_mpi : "0");
}

/// What a toolkit does that sorts what it waits for. Ranks have other numbers free, as libraries leave them behind.
void wait_for_pipes() {
    int first[2], second[2], free = -1;
    if (rank_here() > 0)
        free = dup(STDIN_FILENO);
    static_cast<void>(!pipe2(first, O_CLOEXEC | O_NONBLOCK));
    close(free);
    static_cast<void>(!pipe2(second, O_CLOEXEC | O_NONBLOCK));
    static_cast<void>(!write(second[1], "2", 1));
    pollfd all[] = {{first[0], POLLIN, 0}, {second[0], POLLIN, 0}, {ConnectionNumber(display), POLLIN, 0}};
    if (second[0] < first[0])
        std::swap(all[0], all[1]);
    const int ready = poll(all, 3, -1);
    for (const pollfd &one : all)
        if (ready > 0 && one.revents && one.fd != ConnectionNumber(display)) {
            char what = '-';
            const auto come = read(one.fd, &what, 1);
            std::printf("pipe: %d %c\n", static_cast<int>(come), what);
        }
    for (const int fd : {first[0], first[1], second[0], second[1]})
        close(fd);
}

void wait_by_poll() {
    pollfd one{ConnectionNumber(display), POLLIN, 0};
    in_vain += poll(&one, 1, 30) == 0;
}

void wait_by_epoll() {
    static const int own = eventfd(0, EFD_NONBLOCK), epoll = [] {
        const int made = epoll_create1(0);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = own;
        epoll_ctl(made, EPOLL_CTL_ADD, own, &event);
        event.data.fd = ConnectionNumber(display);
        epoll_ctl(made, EPOLL_CTL_ADD, event.data.fd, &event);
        return made;
    }();
    std::uint64_t one = 1;
    static_cast<void>(!write(own, &one, sizeof one));
    epoll_event found[4];
    const int count = epoll_wait(epoll, found, 4, 30);
    for (int i = 0; i < count; ++i)
        if (found[i].data.fd == own)
            static_cast<void>(!read(own, &one, sizeof one));
}

/// Reads with its own connection; main() tells the events of that.
class Reader {
  public:
    Reader() : thread_([this] { run(); }) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ready_; });
    }
    ~Reader() { thread_.join(); }
    void wait_for_one() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !come_.empty(); });
        const XEvent event = come_.front();
        come_.pop_front();
        lock.unlock();
        tell(event);
        XFlush(display);
    }

  private:
    void run() {
        Display *const own = XOpenDisplay(nullptr);
        XSelectInput(own, window, PointerMotionMask);
        XSync(own, False);
        say([this] { ready_ = true; });
        for (int i = 0; i < rounds; ++i) {
            XEvent event;
            XNextEvent(own, &event);
            say([&] { come_.push_back(event); });
        }
        XCloseDisplay(own);
    }
    template <class What> void say(What what) {
        const std::lock_guard lock(mutex_);
        what();
        changed_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool ready_ = false;
    std::deque<XEvent> come_;
    std::thread thread_;
};

void wait_for_some(const std::string &way) {
    if (way == "select")
        wait_by_select();
    else if (way == "epoll")
        wait_by_epoll();
    else if (way == "blocking") {
        XEvent event;
        XNextEvent(display, &event);
        tell(event);
    } else
        wait_by_poll();
}

} // namespace

int main(int argc, char **argv) {
    const std::string way = argc > 1 ? argv[1] : "poll";
    XInitThreads();
    make_window();
    if (way == "rank")
        XDrawPoint(display, window, context, 10 + rank_here(), 10);
    if (way != "shorter" || rank_here() == 0)
        XDrawRectangle(display, window, context, 5, 5, 20, 20);
    XSync(display, False);
    if (way == "select")
        select_what_is_closed();
    if (way == "sorted")
        wait_for_pipes();
    if (way == "reader") {
        Reader reader;
        for (int round = 0; round < rounds; ++round) {
            send_input(round);
            reader.wait_for_one();
        }
    } else {
        for (int round = 0; round < rounds; ++round) {
            send_input(round);
            for (int wanted = events + 3; events < wanted;)
                if (!take_in())
                    wait_for_some(way);
        }
    }
    std::printf("events: %d\n", events);
    XCloseDisplay(display);
    std::printf("done\n");
}
