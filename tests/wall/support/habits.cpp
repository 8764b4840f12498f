// What programs do with timers, clocks and windows, one habit for each argument; they print what they see.
#include <GL/freeglut.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace {

int drawn, first, second;

int elapsed() { return glutGet(GLUT_ELAPSED_TIME); }

void draw() {
    glClear(GL_COLOR_BUFFER_BIT);
    glRectf(-0.9f, -0.5f, 0.7f, 0.8f);
}

void display() {
    draw();
    glutSwapBuffers();
    ++drawn;
}

void redraw(int window) { glutPostWindowRedisplay(window); }

// A timer without a delay is how some programs animate.
void at_once(int number) {
    std::printf("timer %d after frame %d\n", number, drawn);
    glutTimerFunc(0, at_once, number + 1);
    if (number == 3)
        glutMainLoopEvent();
    redraw(first);
}

void periodically(int) {
    std::printf("%d\n", elapsed());
    glutTimerFunc(50, periodically, 0);
    redraw(first);
}

void begin_periods() { glutTimerFunc(50, periodically, 0); }

void say_when() {
    display();
    std::printf("frame %d at %d\n", drawn, elapsed());
}

void begin_two_windows() {
    glutDisplayFunc(say_when);
    glutInitWindowPosition(20, 30);
    glutInitWindowSize(90, 70);
    second = glutCreateWindow("second");
    glutDisplayFunc([] { draw(), glutSwapBuffers(); });
    glutIdleFunc([] { redraw(first), redraw(second); });
}

void begin_subwindow() {
    second = glutCreateSubWindow(first, 10, 10, 60, 50);
    glutDisplayFunc(display);
    glutIdleFunc([] { redraw(second); });
}

// Draws until the clock has moved by 20 ms, whatever the drawing costs.
template <class Draw> void until_it_is_time(Draw draw_once) {
    const int start = elapsed();
    int times = 0;
    do {
        draw_once();
        ++times;
    } while (elapsed() - start < 20);
    std::printf("drew %d times in %d ms\n", times, elapsed() - start);
    glutSwapBuffers();
}

// Frames within one callback, each of another red.
void begin_series() {
    glutDisplayFunc([] {
        for (int i = 1; i <= 3; ++i) {
            glClearColor(static_cast<float>(i) / 5, 0, 0, 1);
            glClear(GL_COLOR_BUFFER_BIT);
            glutSwapBuffers();
        }
        std::exit(0);
    });
}

void begin_drawing() {
    glutDisplayFunc([] { until_it_is_time([] { draw(), glFinish(); }); });
    glutIdleFunc([] { redraw(first); });
}

// As much work as takes 5 ms: a sleep that the clock knows nothing of.
void begin_slow() {
    glutDisplayFunc([] {
        until_it_is_time([] {
            const timespec time{0, 5'000'000};
            syscall(SYS_nanosleep, &time, nullptr);
        });
    });
    glutIdleFunc([] { redraw(first); });
}

void begin_reading() {
    glutDisplayFunc([] {
        until_it_is_time([] {
            GLubyte pixel[4];
            draw();
            glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        });
    });
    glutIdleFunc([] { redraw(first); });
}

long long now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000ll + time.tv_nsec;
}

template <class Wait> void time_of(const char *what, Wait wait) {
    const long long before = now_ns();
    wait();
    std::printf("%s took %lld ns\n", what, now_ns() - before);
}

// Waits that end at another moment on each rank.
void wait_in_vain() {
    int ends[2];
    if (pipe(ends) != 0)
        std::abort();
    time_of("poll", [&] {
        pollfd one{ends[0], POLLIN, 0};
        poll(&one, 1, 20);
    });
    std::mutex mutex;
    std::condition_variable condition;
    bool told = false;
    std::unique_lock lock(mutex);
    time_of("wait", [&] { condition.wait_for(lock, std::chrono::milliseconds(20)); });
    std::thread teller([&] {
        usleep(5000);
        const std::lock_guard guard(mutex);
        told = true;
        condition.notify_one();
    });
    time_of("wait for a thread", [&] { condition.wait_for(lock, std::chrono::seconds(20), [&] { return told; }); });
    lock.unlock();
    teller.join();
    display();
}

// More and more work, until it takes long enough to be measured: the clock is read twice for each amount. Then also
// with the clock of the process by its number, and that of the thread.
void measure_work() {
    clockid_t process{};
    clock_getcpuclockid(0, &process);
    const auto time = [process] {
        timespec now{};
        clock_gettime(process, &now);
        return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
    };
    long long amount = 1, before = 0;
    do {
        before = time();
        volatile long long work = 0;
        for (long long i = 0; i < amount; ++i)
            work = work + 1;
        amount *= 2;
    } while (time() - before < 200'000'000);
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    std::printf("%lld at %ld.%06ld\n", amount, used.ru_utime.tv_sec, used.ru_utime.tv_usec);
    display();
}

void begin_short() {
    glutDisplayFunc([] {
        display();
        if (drawn == 3)
            std::exit(0);
    });
    glutIdleFunc([] { redraw(first); });
}

// As destructors of user interfaces do that have things in several windows. Memory that is freed too early is taken
// again.
void use_windows_at_exit() {
    static void *blocks[4000];
    glutSetWindow(first), glutSetWindow(second), glutSetWindow(first);
    for (int i = 0; i < 4000; ++i)
        blocks[i] = std::malloc(16 + static_cast<unsigned>(i) % 1200);
    for (int i = 0; i < 4000; i += 2)
        std::free(blocks[i]);
    glutSetWindow(second), glutSetWindow(first);
    for (int i = 1; i < 4000; i += 2)
        std::free(blocks[i]);
    std::printf("window %d at the end\n", glutGetWindow());
}

void begin_handler() {
    begin_short();
    second = glutCreateWindow("second");
    glutDisplayFunc(display);
    std::atexit(use_windows_at_exit);
}

// A thread that computes says when there is something new to show.
void begin_posting() {
    glutDisplayFunc([] {
        display();
        if (drawn == 12)
            std::exit(0);
    });
    std::thread([] {
        for (;;) {
            usleep(20'000);
            glutPostRedisplay();
        }
    }).detach();
}

// Calls that belong to the main loop's thread.
void begin_calling() {
    begin_short();
    std::thread([] {
        glutTimerFunc(1, [](int) {}, 0);
        glutIdleFunc([] { redraw(first); });
        glutPostRedisplay();
    }).join();
}

const std::map<std::string, void (*)()> habits = {
    {"timer", [] { at_once(1); }},  {"periods", begin_periods},     {"early", [] { std::exit(0); }},
    {"series", begin_series},
    {"windows", begin_two_windows}, {"subwindow", begin_subwindow}, {"drawing", begin_drawing},
    {"slow", begin_slow},           {"reading", begin_reading},     {"waits", [] { glutDisplayFunc(wait_in_vain); }},
    {"short", begin_short},         {"handler", begin_handler},     {"measure", [] { glutDisplayFunc(measure_work); }},
    {"posting", begin_posting},     {"calling", begin_calling}};

} // namespace

int main(int argc, char **argv) {
    const int before = elapsed();
    glutInit(&argc, argv);
    const std::string habit = argc > 1 ? argv[1] : "";
    if (habit == "early")
        std::printf("%d before, %d after\n", before, elapsed());
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(203, 151);
    first = glutCreateWindow("habits");
    glutDisplayFunc(display);
    habits.at(habit)();
    glutMainLoop();
    return 0;
}
