#include "shadow/shadow.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace pixmpi {
namespace {

constexpr std::size_t least_block = 64 << 10, most_blocks = 8192, most_at_once = 4 << 20;

std::size_t bytes_of(const std::vector<DeviceBytes::Range> &ranges) {
    std::size_t all = 0;
    for (const DeviceBytes::Range &range : ranges)
        all += range.bytes;
    return all;
}

std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// The process' shadows; the thread that handles faults finds them here.
struct Shadows {
    std::mutex mutex; ///< before any Shadow's
    std::vector<Shadow *> all;
    std::atomic<std::size_t> waiting{0}; ///< faults that wait for another thread
    std::atomic<std::size_t> count{0};
    FaultGuard *guards[2] = {}; ///< those that are in use
};

// Never destroyed: its threads end with the process.
Shadows &shadows() {
    static auto *const one = new Shadows;
    return *one;
}

} // namespace

bool handle_fault(const Fault &fault) {
    Shadows &known = shadows();
    const std::lock_guard lock(known.mutex);
    for (Shadow *shadow : known.all)
        if (fault.address >= shadow->memory() && fault.address < shadow->memory() + shadow->mapped_bytes()) {
            shadow->handle(fault);
            return true;
        }
    return false;
}

void serve_shadows() {
    Shadows &known = shadows();
    if (known.count == 0)
        return;
    const std::lock_guard lock(known.mutex);
    for (FaultGuard *guard : known.guards)
        if (guard)
            guard->look_after();
    if (known.waiting > 0)
        for (Shadow *shadow : known.all)
            shadow->serve();
}

Shadow::Shadow(DeviceBytes &device, FaultGuard &guard, std::size_t bytes)
    : device_(device), guard_(guard), bytes_(bytes),
      block_(std::bit_ceil(std::max({least_block, bytes / most_blocks, static_cast<std::size_t>(getpagesize())}))),
      mapped_(rounded(bytes, block_)) {
    states_.assign(mapped_ / block_, State::dirty); // zeros, which the device does not have
    habits_.assign(states_.size(), {});
}

Status Shadow::make(DeviceBytes &device, std::size_t bytes, GuardWish wish, std::unique_ptr<Shadow> &shadow) {
    FaultGuard *guard = nullptr;
    if (const Status error = find_guard(wish, guard))
        return error;
    std::unique_ptr<Shadow> made(new Shadow(device, *guard, bytes));
    if (const Status error = made->open())
        return error;
    Shadows &known = shadows();
    const std::lock_guard lock(known.mutex);
    known.all.push_back(made.get());
    known.count = known.all.size();
    known.guards[std::string_view(guard->name()) == "signal"] = guard;
    shadow = std::move(made);
    return PIXMPI_SUCCESS;
}

Status Shadow::open() {
    const auto failed = [&] {
        return fail(PIXMPI_ERR_MEMORY, "bytes: %zu, expected that much host memory to be free: %s", bytes_,
                    std::strerror(errno));
    };
    const int file = memfd_create("pixmpi-shadow", MFD_CLOEXEC);
    if (file < 0)
        return failed();
    // What is not there now would end the program by a signal later.
    const int error = posix_fallocate(file, 0, static_cast<off_t>(mapped_));
    void *views[2] = {MAP_FAILED, MAP_FAILED};
    errno = error;
    for (void *&view : views)
        if (!error)
            view = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int kept = errno;
    close(file);
    errno = kept;
    program_ = views[0] == MAP_FAILED ? nullptr : static_cast<std::byte *>(views[0]);
    library_ = views[1] == MAP_FAILED ? nullptr : static_cast<std::byte *>(views[1]);
    if (!program_ || !library_)
        return failed();
    // A child could neither fetch what it lacks nor write without its parent's seeing it.
    madvise(program_, mapped_, MADV_DONTFORK);
    madvise(library_, mapped_, MADV_DONTFORK);
    if (const Status status = device_.attach(library_, mapped_))
        return status;
    if (const Status status = guard_.watch(program_, mapped_))
        return status;
    watched_ = true;
    return guard_.allow(program_, mapped_, Pages::none, Pages::write);
}

Shadow::~Shadow() {
    Shadows &known = shadows();
    {
        const std::lock_guard lock(known.mutex);
        std::erase(known.all, this);
        known.count = known.all.size();
    }
    for (const Fault &fault : waiting_) { // the program's error; it gets its signal
        --known.waiting;
        guard_.answer(fault);
    }
    if (watched_)
        guard_.forget(program_, mapped_);
    if (program_)
        munmap(program_, mapped_);
    device_.detach();
    if (library_)
        munmap(library_, mapped_);
}

Status Shadow::change(std::size_t first, std::size_t end, State from, State to) {
    for (std::size_t block = first; block < end;) {
        if (states_[block] != from) {
            ++block;
            continue;
        }
        std::size_t last = block;
        while (last < end && states_[last] == from)
            ++last;
        if (const Status error =
                guard_.allow(program_ + block * block_, (last - block) * block_, pages_of(from), pages_of(to)))
            return error;
        std::fill(states_.begin() + static_cast<std::ptrdiff_t>(block),
                  states_.begin() + static_cast<std::ptrdiff_t>(last), to);
        block = last;
    }
    return PIXMPI_SUCCESS;
}

std::vector<DeviceBytes::Range> Shadow::ranges_in(std::size_t first, std::size_t end, State state) const {
    std::vector<DeviceBytes::Range> ranges;
    for (std::size_t block = first; block < end; ++block) {
        if (states_[block] != state)
            continue;
        const std::size_t offset = block * block_, count = std::min(block_, bytes_ - offset);
        if (!ranges.empty() && ranges.back().offset + ranges.back().bytes == offset)
            ranges.back().bytes += count;
        else
            ranges.push_back({offset, count});
    }
    return ranges;
}

Status Shadow::fetch(std::size_t first, std::size_t end) {
    const std::vector<DeviceBytes::Range> stale = ranges_in(first, end, State::stale);
    if (stale.empty())
        return PIXMPI_SUCCESS;
    if (const Status error = device_.copy(DeviceBytes::Way::fetch, stale))
        return error;
    counts_.fetched += bytes_of(stale);
    return change(first, end, State::stale, State::clean);
}

Status Shadow::ready(std::size_t first, std::size_t end, bool write) {
    if (const Status error = fetch(first, end))
        return error;
    return write ? change(first, end, State::clean, State::dirty) : PIXMPI_SUCCESS;
}

bool Shadow::stays_dirty(std::size_t block) {
    Habit &habit = habits_[block];
    if (habit.left > 0)
        return --habit.left > 0;
    constexpr int most = 4;
    habit.in_a_row = static_cast<std::uint8_t>(std::min(habit.in_a_row + 1, most));
    habit.left = habit.in_a_row > 1 ? static_cast<std::uint8_t>(1 << habit.in_a_row) : 0;
    return habit.left > 0;
}

// Of the blocks that the CPU has changed those that it does not change each time.
Status Shadow::protect(std::size_t first, std::size_t end) {
    std::size_t from = first; // of those that are to be protected
    for (std::size_t block = first; block < end; ++block) {
        if (states_[block] == State::clean)
            habits_[block] = {};
        if (states_[block] != State::dirty || !stays_dirty(block))
            continue;
        if (const Status error = change(from, block, State::dirty, State::clean))
            return error;
        from = block + 1;
    }
    return change(from, end, State::dirty, State::clean);
}

Status Shadow::write_back(std::size_t offset, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto [first, end] = blocks_of(offset, bytes);
    const std::vector<DeviceBytes::Range> dirty = ranges_in(first, end, State::dirty);
    if (dirty.empty())
        return PIXMPI_SUCCESS;
    // Before they are copied: what the CPU writes from now on makes a block dirty again.
    if (const Status error = protect(first, end))
        return error;
    if (const Status error = device_.copy(DeviceBytes::Way::write, dirty)) {
        const Error kept = last_error(error);
        for (const DeviceBytes::Range &range : dirty) {
            const auto [from, to] = blocks_of(range.offset, range.bytes);
            (void)change(from, to, State::clean, State::dirty);
        }
        return repeat(kept);
    }
    counts_.written += bytes_of(dirty);
    return PIXMPI_SUCCESS;
}

Status Shadow::device_wrote(std::size_t offset, std::size_t bytes) {
    if (const Status error = device_.usable() ? device_.settle() : PIXMPI_SUCCESS)
        return error;
    const std::lock_guard lock(mutex_);
    const auto [first, end] = blocks_of(offset, bytes);
    for (const State state : {State::clean, State::dirty})
        if (const Status error = change(first, end, state, State::stale))
            return error;
    std::fill(habits_.begin() + static_cast<std::ptrdiff_t>(first), habits_.begin() + static_cast<std::ptrdiff_t>(end),
              Habit());
    return device_.copies_later() || !device_.usable() ? PIXMPI_SUCCESS : fetch(first, end);
}

Status Shadow::touch(std::size_t offset, std::size_t bytes, bool write) {
    const std::lock_guard lock(mutex_);
    const auto [first, end] = blocks_of(offset, bytes);
    if (!device_.usable() && !ranges_in(first, end, State::stale).empty())
        return fail(PIXMPI_ERR_CONTEXT, "pointer: bytes of it are the device's, expected the object's context to be "
                                        "this thread's");
    return ready(first, end, write);
}

Shadow::Counts Shadow::counts() {
    const std::lock_guard lock(mutex_);
    return counts_;
}

Status Shadow::pop_failure() {
    const std::lock_guard lock(mutex_);
    const Error failed = failure_;
    failure_ = {};
    return failed.code ? repeat(failed) : PIXMPI_SUCCESS;
}

void Shadow::handle(const Fault &fault) {
    const std::lock_guard lock(mutex_);
    if (states_[block_of(fault.address)] == State::stale && !device_.usable_for(fault.thread)) {
        waiting_.push_back(fault);
        ++shadows().waiting;
        return;
    }
    answer(fault);
}

void Shadow::serve() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || !device_.usable())
        return;
    shadows().waiting -= waiting_.size();
    for (const Fault &fault : std::exchange(waiting_, {}))
        answer(fault);
}

// Touches that follow each other take twice as many blocks each time.
void Shadow::answer(const Fault &fault) {
    const std::size_t block = block_of(fault.address);
    const State state = states_[block];
    const bool write = fault.kind == Fault::write || (fault.kind == Fault::unknown && state != State::stale);
    ++counts_.faults;
    if (state == State::stale || (state == State::clean && write)) {
        Run &run = runs_[write];
        const std::size_t most = std::max<std::size_t>(most_at_once / block_, 1);
        run.blocks = run.blocks > 0 && block == run.next ? std::min(2 * run.blocks, most) : 1;
        run.next = std::min(block + run.blocks, blocks());
        if (const Status failed = ready(block, run.next, write)) {
            remember(failed);
            // Nobody could tell the touching thread: it goes on with what the shadow has.
            (void)change(block, block + 1, State::stale, State::clean);
            if (write)
                (void)change(block, block + 1, State::clean, State::dirty);
        }
    }
    guard_.answer(fault);
}

void Shadow::remember(Status failed) {
    if (!failure_.code)
        failure_ = last_error(failed);
}

} // namespace pixmpi
