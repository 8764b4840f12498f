// A program that replaces two of the functions for memory, and relies on the others' calling these: x11_allocator.
#include <X11/Xlib.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

// That there is no delete with a size is the point.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wsized-deallocation"
#endif

namespace {

constexpr std::size_t head = 16;
constexpr std::uint64_t mark = 0x0123456789abcdef;
thread_local long here = 0; ///< MPI and the library have threads of their own, which allocate meanwhile
std::atomic<long> strangers{0};

} // namespace

void *operator new(std::size_t size) {
    void *const block = std::malloc(size + head);
    if (!block)
        throw std::bad_alloc();
    *static_cast<std::uint64_t *>(block) = mark;
    ++here;
    return static_cast<char *>(block) + head;
}

void operator delete(void *block) noexcept {
    if (!block)
        return;
    auto *const begin = reinterpret_cast<std::uint64_t *>(static_cast<char *>(block) - head);
    strangers += *begin != mark;
    *begin = 0;
    --here;
    std::free(begin);
}

int main() {
    Display *const display = XOpenDisplay(nullptr);
    if (!display)
        return 1;
    const long before = here;
    {
        std::vector<std::unique_ptr<std::string>> all;
        for (std::size_t i = 0; i < 2000; ++i)
            all.push_back(std::make_unique<std::string>(i, 'x'));
        const std::unique_ptr<int[]> numbers(new int[100]);
        delete new (std::nothrow) int;
        numbers[5] = static_cast<int>(all.size());
    }
    std::printf("%ld left, %ld of others\n", here - before, strangers.load());
    XCloseDisplay(display);
    std::puts("done");
    return 0;
}
