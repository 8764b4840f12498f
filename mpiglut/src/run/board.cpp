#include "run/board.h"

#include "run/shared_memory.h"

#include <algorithm>
#include <sys/mman.h>

namespace mpiglut {

namespace {

static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<float>::is_always_lock_free,
              "two processes share them");

constexpr std::size_t page = 4096;
constexpr std::size_t live_at = (sizeof(Board) + page - 1) / page * page;
constexpr std::size_t still_at = (live_at + live_slots * live_bytes + page - 1) / page * page;

std::atomic<Board *> own_board{nullptr};

} // namespace

std::byte *Board::live_pixels(std::size_t slot) {
    return reinterpret_cast<std::byte *>(this) + live_at + slot * live_bytes;
}

std::byte *Board::still_pixels() { return reinterpret_cast<std::byte *>(this) + still_at; }

bool Board::tell_menu(const std::string &text) {
    std::uint32_t expected = Slot::free, filled = Slot::filled;
    if (text.size() > menu.size() || (!menu_state.compare_exchange_strong(expected, Slot::writing) &&
                                      !menu_state.compare_exchange_strong(filled, Slot::writing)))
        return text.size() > menu.size();
    std::copy(text.begin(), text.end(), menu.begin());
    menu_bytes = static_cast<std::uint32_t>(text.size());
    menu_state.store(Slot::filled, std::memory_order_release);
    return true;
}

bool Board::take_menu(std::string &text) {
    std::uint32_t expected = Slot::filled;
    if (!menu_state.compare_exchange_strong(expected, Slot::reading))
        return false;
    text.assign(menu.data(), std::min<std::size_t>(menu_bytes, menu.size())); // not trusted, as all that is here
    menu_state.store(Slot::free, std::memory_order_release);
    return true;
}

void Board::tell(const TileTimes &own) {
    each_member(own, [to = times.begin()](auto... numbers) mutable {
        (((to++)->store(numbers, std::memory_order_relaxed)), ...);
    });
}

TileTimes Board::own_times() const {
    TileTimes own;
    each_member(own, [from = times.begin()](auto &...numbers) mutable {
        ((numbers = (from++)->load(std::memory_order_relaxed)), ...);
    });
    return own;
}

Board *make_board(std::size_t still_bytes, int &fd) {
    // Zeroes, which every member begins with.
    auto *made = static_cast<Board *>(make_shared_memory("mpiglut-board", still_at + still_bytes, fd));
    if (!made)
        return nullptr;
    made->still_bytes = still_bytes;
    made->magic = Board::right_magic;
    return made;
}

Board *map_board(int fd) {
    std::size_t bytes = 0;
    auto *mapped = static_cast<Board *>(map_shared_memory(fd, still_at, bytes));
    const bool sound = mapped && mapped->magic == Board::right_magic && mapped->still_bytes == bytes - still_at;
    return sound ? mapped : nullptr;
}

void unmap(Board *board, std::size_t still_bytes) {
    if (board)
        ::munmap(board, still_at + still_bytes);
}

void forget_still(Board &board, std::size_t still_bytes) {
    ::madvise(board.still_pixels(), still_bytes, MADV_REMOVE);
}

Board *board() { return own_board.load(std::memory_order_relaxed); }
void set_board(Board *board) { own_board = board; }

} // namespace mpiglut
