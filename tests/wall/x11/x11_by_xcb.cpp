// A program of xcb alone: x11_by_xcb WAY.  It moves the pointer, tells what comes of that, and draws for it. WAY
// says how it waits: ppoll, pselect, "far" (the same with a descriptor above FD_SETSIZE), or "reader" as Qt does it:
// a thread reads the connection that main() writes to, and wakes main() by an eventfd. "busy" is a reader whose
// main() computes for long, on rank 0 alone, and "late" one that comes late to its connection, on the other ranks.
#include <xcb/xcb.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <mutex>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr int rounds = 40;

xcb_connection_t *connection;
xcb_window_t window;
xcb_gcontext_t context;
int events = 0;

void make_window() {
    int number = 0;
    connection = xcb_connect(nullptr, &number);
    if (xcb_connection_has_error(connection)) {
        std::printf("no display\n");
        std::exit(3);
    }
    const xcb_screen_t *const screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    window = xcb_generate_id(connection);
    const std::uint32_t values[] = {1, XCB_EVENT_MASK_POINTER_MOTION | XCB_EVENT_MASK_STRUCTURE_NOTIFY};
    xcb_create_window(connection, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, 300, 300, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK,
                      values);
    context = xcb_generate_id(connection);
    xcb_create_gc(connection, context, window, 0, nullptr);
    xcb_map_window(connection, window);
    xcb_flush(connection);
    for (bool mapped = false; !mapped;) {
        xcb_generic_event_t *const event = xcb_wait_for_event(connection);
        mapped = (event->response_type & 0x7f) == XCB_MAP_NOTIFY;
        std::free(event);
    }
}

void move_pointer(int round) {
    xcb_warp_pointer(connection, XCB_NONE, window, 0, 0, 0, 0, static_cast<std::int16_t>(10 + 5 * (round % 40)),
                     static_cast<std::int16_t>(20 + 3 * (round % 50)));
    xcb_flush(connection);
}

void tell(xcb_generic_event_t *event) {
    const auto *const motion = reinterpret_cast<xcb_motion_notify_event_t *>(event);
    if ((event->response_type & 0x7f) == XCB_MOTION_NOTIFY) {
        ++events;
        std::printf("motion %d %d at %u\n", motion->event_x, motion->event_y, motion->time);
        const xcb_rectangle_t box{motion->event_x, motion->event_y, 9, 9};
        const std::uint32_t colour = static_cast<std::uint32_t>(events) * 0x030201;
        xcb_change_gc(connection, context, XCB_GC_FOREGROUND, &colour);
        xcb_poly_fill_rectangle(connection, window, context, 1, &box);
        // A reply, which the reader may be the one to read.
        std::free(xcb_query_pointer_reply(connection, xcb_query_pointer(connection, window), nullptr));
    } else {
        std::printf("event %d\n", event->response_type & 0x7f);
    }
    std::free(event);
}

void wait_alone(bool by_select) {
    const int fd = xcb_get_file_descriptor(connection);
    const timespec time{0, 20'000'000};
    int bytes = 0;
    if (by_select) {
        constexpr int bits = 8 * sizeof(fd_set);
        std::vector<fd_set> sets(static_cast<std::size_t>(fd / bits + 1));
        for (fd_set &set : sets)
            FD_ZERO(&set);
        FD_SET(fd % bits, &sets[static_cast<std::size_t>(fd / bits)]);
        const int ready = pselect(fd + 1, sets.data(), nullptr, nullptr, &time, nullptr);
        std::printf("%d ready, %s\n", ready, FD_ISSET(fd % bits, &sets.back()) ? "set" : "not set");
    } else {
        pollfd one{fd, POLLIN, 0};
        ppoll(&one, 1, &time, nullptr);
    }
    if (ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0)
        std::printf("%d bytes\n", bytes);
}

void run_alone(bool by_select) {
    for (int round = 0; round < rounds; ++round) {
        move_pointer(round);
        for (const int wanted = round + 1; events < wanted;) {
            if (xcb_generic_event_t *const event = xcb_poll_for_event(connection))
                tell(event);
            else
                wait_alone(by_select);
        }
    }
}

std::mutex mutex;
std::deque<xcb_generic_event_t *> come;
int wake_up = -1;

void read_events() {
    for (int motions = 0; motions < rounds;) {
        xcb_generic_event_t *const event = xcb_wait_for_event(connection);
        if (!event)
            return;
        motions += (event->response_type & 0x7f) == XCB_MOTION_NOTIFY;
        const std::lock_guard lock(mutex);
        come.push_back(event);
        const std::uint64_t one = 1;
        static_cast<void>(!write(wake_up, &one, sizeof one));
    }
}

double seconds_of_system() {
    double seconds = 0;
    std::ifstream("/proc/uptime") >> seconds;
    return seconds;
}

bool on_rank_0() {
    const char *const rank = std::getenv("PMI_RANK"), *const of_open_mpi = std::getenv("OMPI_COMM_WORLD_RANK");
    return std::atoi(rank ? rank : of_open_mpi ? of_open_mpi : "0") == 0;
}

void compute(double seconds) {
    for (const double end = seconds_of_system() + seconds; seconds_of_system() < end;) {
    }
}

/// What has come meanwhile is not read meanwhile.
void compute_long() {
    move_pointer(0);
    compute(on_rank_0() ? 4 : 0.5);
    const std::lock_guard lock(mutex);
    std::printf("come: %zu\n", come.size());
}

/// A short job, which takes longer on the other ranks: nobody waits for it before main() looks.
void look_at_job() {
    std::atomic<bool> done{false};
    std::thread job([&done] {
        compute(on_rank_0() ? 0 : 0.1);
        done = true;
    });
    xcb_clear_area(connection, 0, window, 0, 0, 5, 5);
    std::printf("the job is %s\n", done ? "done" : "not done");
    job.join();
}

/// The reader's turn, in a way that nobody knows of.
void nap_until_one_has_come() {
    move_pointer(0);
    for (bool has_come = false; !has_come;) {
        usleep(5'000);
        const std::lock_guard lock(mutex);
        has_come = !come.empty();
    }
}

void run_with_reader(const std::string &way) {
    wake_up = eventfd(0, EFD_NONBLOCK);
    std::thread reader([&way] {
        if (way == "late" && !on_rank_0())
            compute(3);
        read_events();
    });
    if (way == "busy")
        compute_long();
    if (way == "napping")
        nap_until_one_has_come();
    if (way == "jobs")
        look_at_job();
    for (int round = 0; round < rounds; ++round) {
        move_pointer(round);
        while (events <= round) {
            pollfd one{wake_up, POLLIN, 0};
            const int ready = poll(&one, 1, 15);
            std::uint64_t count = 0;
            if (ready > 0)
                static_cast<void>(!read(wake_up, &count, sizeof count));
            std::unique_lock lock(mutex);
            std::deque<xcb_generic_event_t *> mine;
            mine.swap(come);
            lock.unlock();
            if (ready == 0) // draws when there is nothing to do: a request at a time that depends on the events
                xcb_clear_area(connection, 0, window, 0, 0, 5, 5);
            for (xcb_generic_event_t *event : mine)
                tell(event);
            xcb_flush(connection);
        }
    }
    reader.join();
}

int allow_descriptors() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, 2 * FD_SETSIZE);
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return 0;
    std::perror("setrlimit"); // so the test fails: its output is another one
    std::exit(1);
}

} // namespace

int main(int argc, char **argv) {
    const std::string way = argc > 1 ? argv[1] : "ppoll";
    for (int last = way == "far" ? allow_descriptors() : FD_SETSIZE + 10; last < FD_SETSIZE + 10;)
        last = dup(0);
    make_window();
    if (way == "reader" || way == "busy" || way == "late" || way == "napping" || way == "jobs")
        run_with_reader(way);
    else
        run_alone(way == "pselect" || way == "far");
    std::printf("done\n");
    xcb_disconnect(connection);
}
