// The program's memory, apart from that of MPI, of drivers and of this library. These allocate at other times on each
// rank, so in one heap the program's blocks would lie at other addresses, and a program that sorts by address, or has
// addresses in a hash table, would do the same in another order. What its main thread allocates, up to a size, is
// taken from here. All else is the C library's, or of the allocator that the program brings.
#include "system/x11/heap.h"

#include "base/export.h"
#include "base/lookup.h"
#include "base/real.h"
#include "clock/callers.h"
#include "run/report.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

// A sanitizer has an allocator of its own, which is to see all memory.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace mpiglut::x11 {
namespace {

constexpr std::size_t room = std::size_t{1} << 35, slab = std::size_t{1} << 16, slabs_at_once = 1024;
constexpr std::size_t step = 16, most_steps = 64, largest = std::size_t{1} << 15;
constexpr std::size_t classes = most_steps + 6;

/// Blocks of one size: 16, 32, ... 1024 bytes, and from there on powers of two.
constexpr std::size_t class_of(std::size_t size) {
    if (size <= step * most_steps)
        return std::max<std::size_t>((size + step - 1) / step, 1);
    std::size_t found = most_steps + 1;
    for (std::size_t most = 2 * step * most_steps; most < size; most *= 2)
        ++found;
    return found;
}
constexpr std::size_t size_of(std::size_t which) {
    return which <= most_steps ? which * step : step * most_steps << (which - most_steps);
}
static_assert(size_of(class_of(largest)) == largest && class_of(largest) < classes && size_of(class_of(1025)) == 2048);

/// Constant from the beginning: memory is asked for before constructors run.
class Heap {
  public:
    bool begin() {
        // The same on all ranks, also where the system gives others at random. A part at a time can be used: what locks
        // all memory of a process would need all of the room.
        void *const wanted = reinterpret_cast<void *>(std::uintptr_t{0x6000'0000'0000});
        constexpr int own = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
        void *const memory = mmap(wanted, room, PROT_NONE, own, -1, 0);
        if (memory != wanted) {
            if (memory != MAP_FAILED)
                munmap(memory, room);
            return false;
        }
        owner_ = pthread_self();
        unused_ = 0;
        first_.store(static_cast<char *>(memory), std::memory_order_release);
        return true;
    }

    bool is_for(std::size_t size, const void *caller) const {
        return first_.load(std::memory_order_relaxed) && size <= largest && pthread_equal(pthread_self(), owner_) &&
               clock::origin(caller) == clock::Origin::program;
    }
    bool has(const void *block) const {
        const char *const first = first_.load(std::memory_order_relaxed);
        return first && reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(first) < room;
    }
    std::size_t size(const void *block) const { return size_of(class_of_slab_[slab_of(block)]); }

    /// All of it is zero. Null where there is no more.
    void *take(std::size_t size) {
        const std::size_t which = class_of(size);
        lock();
        void *const block = next(which);
        unlock();
        return block ? std::memset(block, 0, size_of(which)) : nullptr;
    }

    void give(void *block) {
        const std::size_t which = class_of_slab_[slab_of(block)];
        lock();
        std::memcpy(block, &free_[which], sizeof(void *));
        free_[which] = block;
        unlock();
    }

    void lock() {
        if (is_forking())
            return;
        while (locked_.test_and_set(std::memory_order_acquire))
            sched_yield();
    }
    void unlock() {
        if (!is_forking())
            locked_.clear(std::memory_order_release);
    }

    /// The lock is the thread's until end_fork(), which the child calls as well: others of its functions for forks may
    /// ask for memory meanwhile.
    void begin_fork() {
        lock();
        forker_ = pthread_self();
        forking_.store(true, std::memory_order_release);
    }
    void end_fork() {
        forking_.store(false, std::memory_order_release);
        unlock();
    }

  private:
    bool is_forking() const { return forking_.load(std::memory_order_acquire) && pthread_equal(forker_, pthread_self()); }

    /// Of the next slab.
    bool make_usable() {
        char *const first = first_.load(std::memory_order_relaxed) + slab * unused_;
        if (unused_ % slabs_at_once != 0)
            return true;
        return unused_ < room / slab && mprotect(first, slab * slabs_at_once, PROT_READ | PROT_WRITE) == 0;
    }

    std::size_t slab_of(const void *block) const {
        const char *const first = first_.load(std::memory_order_relaxed);
        return static_cast<std::size_t>(static_cast<const char *>(block) - first) / slab;
    }

    void *next(std::size_t which) {
        void *block = free_[which];
        if (block) {
            std::memcpy(&free_[which], block, sizeof(void *));
            return block;
        }
        const std::size_t size = size_of(which);
        if (left_[which] < size) {
            if (!make_usable())
                return nullptr;
            class_of_slab_[unused_] = static_cast<unsigned char>(which);
            from_[which] = first_.load(std::memory_order_relaxed) + slab * unused_++;
            left_[which] = slab;
        }
        block = from_[which];
        from_[which] += size;
        left_[which] -= size;
        return block;
    }

    std::atomic<char *> first_{nullptr};
    pthread_t owner_{}, forker_{};
    std::atomic<bool> forking_{false};
    std::atomic_flag locked_ = ATOMIC_FLAG_INIT;
    std::size_t unused_ = 0;
    std::array<void *, classes> free_{};
    std::array<char *, classes> from_{};
    std::array<std::size_t, classes> left_{};
    std::array<unsigned char, room / slab> class_of_slab_{};
};

constinit Heap heap;

void *take_for(std::size_t size, const void *caller) { return heap.is_for(size, caller) ? heap.take(size) : nullptr; }

/// Of pointers that come from here.
void *move(void *block, std::size_t size, const void *caller) {
    if (size != 0 && size <= heap.size(block) && 4 * size > heap.size(block))
        return block;
    void *moved = nullptr;
    if (size != 0) {
        moved = take_for(size, caller);
        if (!moved)
            moved = REAL(malloc)(size);
        if (!moved)
            return nullptr;
        std::memcpy(moved, block, std::min(size, heap.size(block)));
    }
    heap.give(block);
    return moved;
}

/// A program that replaces some of these functions may rely on the others' calling them.
bool has_allocator_of_its_own() {
    Dl_info mine{}, found{};
    dladdr(&heap, &mine);
    for (const char *name : {"malloc", "free", "_Znwm", "_ZdlPv"}) {
        const void *const first = real_dlsym()(RTLD_DEFAULT, name);
        if (!first || !dladdr(first, &found) || found.dli_fbase != mine.dli_fbase)
            return true;
    }
    return false;
}

} // namespace

void begin_heap() {
    if (has_allocator_of_its_own())
        return;
    if (!heap.begin()) {
        report_once(Report::note, "the system refuses memory at the same address for each rank: a program that sorts by "
                                  "addresses may diverge");
        return;
    }
    pthread_atfork([] { heap.begin_fork(); }, [] { heap.end_fork(); }, [] { heap.end_fork(); });
}

} // namespace mpiglut::x11

namespace x11 = mpiglut::x11;

#define CALLER __builtin_return_address(0)

MPIGLUT_EXPORT void *malloc(std::size_t size) noexcept {
    void *const block = x11::take_for(size, CALLER);
    return block ? block : REAL(malloc)(size);
}

MPIGLUT_EXPORT void *calloc(std::size_t count, std::size_t size) noexcept {
    std::size_t all = 0;
    void *const block = __builtin_mul_overflow(count, size, &all) ? nullptr : x11::take_for(all, CALLER);
    return block ? block : REAL(calloc)(count, size);
}

MPIGLUT_EXPORT void free(void *block) noexcept {
    if (x11::heap.has(block))
        return x11::heap.give(block);
    REAL(free)(block);
}

MPIGLUT_EXPORT void *realloc(void *block, std::size_t size) noexcept {
    if (x11::heap.has(block))
        return x11::move(block, size, CALLER);
    void *const made = block ? nullptr : x11::take_for(size, CALLER);
    return made ? made : REAL(realloc)(block, size);
}

MPIGLUT_EXPORT void *reallocarray(void *block, std::size_t count, std::size_t size) noexcept {
    std::size_t all = 0;
    if (!x11::heap.has(block))
        return REAL(reallocarray)(block, count, size);
    if (!__builtin_mul_overflow(count, size, &all))
        return x11::move(block, all, CALLER);
    errno = ENOMEM;
    return nullptr;
}

MPIGLUT_EXPORT std::size_t malloc_usable_size(void *block) noexcept {
    return x11::heap.has(block) ? x11::heap.size(block) : REAL(malloc_usable_size)(block);
}

// C++'s operators new, new[], delete and delete[]: behind them nobody knows who calls. What the C++ library itself asks
// for, for long strings, is not taken from the heap: drivers and this library have such strings, too.
extern "C" {
void *_Znwm(std::size_t);
void *_Znam(std::size_t);
void *_ZnwmRKSt9nothrow_t(std::size_t, const void *);
void *_ZnamRKSt9nothrow_t(std::size_t, const void *);
void _ZdlPv(void *);
void _ZdaPv(void *);
void _ZdlPvm(void *, std::size_t);
void _ZdaPvm(void *, std::size_t);
void _ZdlPvRKSt9nothrow_t(void *, const void *);
void _ZdaPvRKSt9nothrow_t(void *, const void *);
}

#define NEW(name, parameters, ...)                                                                                     \
    MPIGLUT_EXPORT void *name parameters {                                                                             \
        void *const block = x11::take_for(size, CALLER);                                                               \
        return block ? block : REAL(name)(__VA_ARGS__);                                                                \
    }
#define DELETE(name, parameters, ...)                                                                                  \
    MPIGLUT_EXPORT void name parameters {                                                                              \
        if (x11::heap.has(block))                                                                                      \
            return x11::heap.give(block);                                                                              \
        REAL(name)(__VA_ARGS__);                                                                                       \
    }

NEW(_Znwm, (std::size_t size), size)
NEW(_Znam, (std::size_t size), size)
NEW(_ZnwmRKSt9nothrow_t, (std::size_t size, const void *tag), size, tag)
NEW(_ZnamRKSt9nothrow_t, (std::size_t size, const void *tag), size, tag)
DELETE(_ZdlPv, (void *block), block)
DELETE(_ZdaPv, (void *block), block)
DELETE(_ZdlPvm, (void *block, std::size_t size), block, size)
DELETE(_ZdaPvm, (void *block, std::size_t size), block, size)
DELETE(_ZdlPvRKSt9nothrow_t, (void *block, const void *tag), block, tag)
DELETE(_ZdaPvRKSt9nothrow_t, (void *block, const void *tag), block, tag)

#else

void mpiglut::x11::begin_heap() {}

#endif
