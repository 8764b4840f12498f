// Memory in the ways of programs: x11_memory. Says what does not work, and "done".
#include <X11/Xlib.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

void check(bool works, const char *what) {
    if (!works)
        std::printf("does not work: %s\n", what);
}

bool is(const char *block, std::size_t size, char value) {
    for (std::size_t i = 0; i < size; ++i)
        if (block[i] != value)
            return false;
    return true;
}

void change_sizes() {
    char *block = static_cast<char *>(std::malloc(30'000));
    std::memset(block, 7, 30'000);
    block = static_cast<char *>(std::realloc(block, 20));
    check(is(block, 20, 7) && malloc_usable_size(block) < 8000, "a block becomes small");
    block = static_cast<char *>(std::realloc(block, 100'000));
    check(is(block, 20, 7) && malloc_usable_size(block) >= 100'000, "a block becomes large");
    block = static_cast<char *>(std::realloc(block, 24));
    check(is(block, 20, 7), "a large block becomes small");
    std::free(block);
    block = static_cast<char *>(std::malloc(100));
    block[99] = 5;
    char *volatile same = block;
    volatile std::size_t many = SIZE_MAX / 2;
    errno = 0;
    check(!reallocarray(block, many, 4) && errno == ENOMEM && same[99] == 5, "more than there can be");
    check(!std::calloc(many, 4), "more zeros than there can be");
    std::free(same);
    void *const nothing = std::malloc(0);
    check(nothing, "a block without bytes");
    std::free(nothing);
    std::free(nullptr);
}

void zeros_again() {
    for (int i = 0; i < 100; ++i) {
        char *const block = static_cast<char *>(std::calloc(3, 100));
        check(is(block, 300, 0), "calloc gives zeros");
        std::memset(block, 9, 300);
        std::free(block);
    }
}

void align() {
    for (const std::size_t alignment : {std::size_t{16}, std::size_t{64}, std::size_t{4096}}) {
        void *block = nullptr;
        check(posix_memalign(&block, alignment, 100) == 0 && reinterpret_cast<std::uintptr_t>(block) % alignment == 0,
              "aligned");
        std::free(block);
    }
    struct alignas(64) Line {
        char bytes[64];
    };
    delete new Line;
    for (std::size_t size = 1; size < 3000; size += 7) {
        void *const block = std::malloc(size);
        check(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t) == 0, "aligned for all types");
        std::free(block);
    }
}

/// What one thread allocates others free, while main() forks.
void share_and_fork() {
    std::atomic<bool> ends{false};
    std::vector<std::thread> threads;
    std::vector<std::vector<std::string *>> made(3);
    for (auto &mine : made)
        for (int i = 0; i < 1000; ++i)
            mine.push_back(new std::string(static_cast<std::size_t>(i), 'x'));
    for (auto &mine : made)
        threads.emplace_back([&mine, &ends] {
            while (!ends)
                for (std::string *&one : mine) {
                    delete one;
                    one = new std::string(one == mine.front() ? "first" : "another, which is longer than a short one");
                }
        });
    pthread_atfork([] { delete new int; }, [] { delete new int; }, [] { delete new int; });
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            delete new std::string("the child has memory, too, more than fits into a short string");
            _exit(0);
        }
        int status = -1;
        check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child has memory");
    }
    ends = true;
    for (std::thread &thread : threads)
        thread.join();
    for (auto &mine : made)
        for (const std::string *one : mine)
            delete one;
}

/// As a language's runtime calls the C library.
void by_name() {
    void *const library = dlopen("libc.so.6", RTLD_NOW);
    const auto release = reinterpret_cast<void (*)(void *)>(dlsym(library, "free"));
    const auto resize = reinterpret_cast<void *(*)(void *, std::size_t)>(dlsym(library, "realloc"));
    release(resize(std::malloc(50), 5000));
    release(std::malloc(50));
    char *line = static_cast<char *>(std::malloc(4));
    std::size_t size = 4;
    std::FILE *const file = std::fopen("/proc/self/maps", "r");
    while (getline(&line, &size, file) > 0) {
    }
    std::fclose(file);
    std::free(line);
}

} // namespace

int main() {
    Display *const display = XOpenDisplay(nullptr);
    if (!display)
        return 1;
    change_sizes();
    zeros_again();
    align();
    share_and_fork();
    by_name();
    XCloseDisplay(display);
    std::puts("done");
    return 0;
}
