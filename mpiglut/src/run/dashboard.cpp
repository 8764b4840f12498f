#include "run/dashboard.h"

#include "run/shared_memory.h"

#include <algorithm>
#include <sys/mman.h>

namespace mpiglut {

namespace {

static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<float>::is_always_lock_free,
              "two processes share them");

constexpr std::size_t page = 4096;
constexpr std::size_t live_at = (sizeof(Dashboard) + page - 1) / page * page;
constexpr std::size_t still_at = (live_at + live_slots * live_bytes + page - 1) / page * page;

std::atomic<Dashboard *> own_dashboard{nullptr};

} // namespace

std::byte *Dashboard::live_pixels(std::size_t slot) {
    return reinterpret_cast<std::byte *>(this) + live_at + slot * live_bytes;
}

std::byte *Dashboard::still_pixels() { return reinterpret_cast<std::byte *>(this) + still_at; }

bool Dashboard::write_menu(const std::string &text) {
    std::uint32_t expected = PictureSlot::free, filled = PictureSlot::filled;
    if (text.size() > menu.size() || (!menu_state.compare_exchange_strong(expected, PictureSlot::writing) &&
                                      !menu_state.compare_exchange_strong(filled, PictureSlot::writing)))
        return text.size() > menu.size();
    std::copy(text.begin(), text.end(), menu.begin());
    menu_bytes = static_cast<std::uint32_t>(text.size());
    menu_state.store(PictureSlot::filled, std::memory_order_release);
    return true;
}

bool Dashboard::read_menu(std::string &text) {
    std::uint32_t expected = PictureSlot::filled;
    if (!menu_state.compare_exchange_strong(expected, PictureSlot::reading))
        return false;
    text.assign(menu.data(), std::min<std::size_t>(menu_bytes, menu.size())); // not trusted, as all that is here
    menu_state.store(PictureSlot::free, std::memory_order_release);
    return true;
}

void Dashboard::tell(const TileTimes &own) {
    each_member(own, [to = times.begin()](auto... numbers) mutable {
        (((to++)->store(numbers, std::memory_order_relaxed)), ...);
    });
}

TileTimes Dashboard::own_times() const {
    TileTimes own;
    each_member(own, [from = times.begin()](auto &...numbers) mutable {
        ((numbers = (from++)->load(std::memory_order_relaxed)), ...);
    });
    return own;
}

Dashboard *make_dashboard(std::size_t still_bytes, int &fd) {
    // Zeroes, which every member begins with.
    auto *made = static_cast<Dashboard *>(make_shared_memory("mpiglut-dashboard", still_at + still_bytes, fd));
    if (!made)
        return nullptr;
    made->still_bytes = still_bytes;
    made->magic = Dashboard::right_magic;
    return made;
}

Dashboard *map_dashboard(int fd) {
    std::size_t bytes = 0;
    auto *mapped = static_cast<Dashboard *>(map_shared_memory(fd, still_at, bytes));
    const bool sound = mapped && mapped->magic == Dashboard::right_magic && mapped->still_bytes == bytes - still_at;
    return sound ? mapped : nullptr;
}

void unmap(Dashboard *dashboard, std::size_t still_bytes) {
    if (dashboard)
        ::munmap(dashboard, still_at + still_bytes);
}

void forget_still(Dashboard &dashboard, std::size_t still_bytes) {
    ::madvise(dashboard.still_pixels(), still_bytes, MADV_REMOVE);
}

Dashboard *dashboard() { return own_dashboard.load(std::memory_order_relaxed); }
void set_dashboard(Dashboard *dashboard) { own_dashboard = dashboard; }

} // namespace mpiglut
