// The record of what rank 0's program does with its connections, and what comes of that. Rank 0 puts a record down for
// each operation before the program goes on; another rank's operation takes the next one. Records have one order for
// the whole program, across its threads.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace mpiglut::x11 {

enum class Kind : std::uint8_t {
    end, ///< the program ends; no operation
    connect,
    wait, ///< poll, select and epoll_wait
    read,
    write,
    available, ///< FIONREAD
    name,      ///< getsockname and getpeername
    beside,    ///< main()'s thread lets a thread read, or goes on (threads.h)
    shown,     ///< what the wall's X server shows (shown.h)
    lock,      ///< a thread has acquired a lock (locks.cpp)
    condition, ///< a thread has waited for a condition
    value,     ///< a thread has got a time or a random number
};

struct Record {
    Kind kind = Kind::end;
    std::uint8_t of_any_thread = 0; ///< libxcb waits or reads for all threads, one at a time: any of them may take it
    std::uint16_t connection = 0;
    std::uint32_t thread = 0; ///< by the path of its creation (threads.h)
    std::uint32_t error = 0;  ///< errno, where the result is negative
    std::uint32_t detail = 0; ///< of some kinds; of a wait: three times the descriptors, and which time-out it has
    std::int64_t wanted = 0;  ///< what was asked for, as far as it is the same on all ranks
    std::int64_t result = 0;
};
static_assert(std::is_trivially_copyable_v<Record>);

using Payload = std::vector<std::byte>;

/// This rank's program is the one that is recorded.
bool leads();

/// Rank 0: what this thread does with a socket while it holds this, and its record, are one step to all other threads.
class Order {
  public:
    Order();

  private:
    std::unique_lock<std::recursive_mutex> lock_;
};

/// Rank 0: to all ranks. The thread is filled in, and errno if the result is negative.
void put(Record record, std::span<const std::byte> payload = {});
/// The same, with another payload for each rank.
void put_each(Record record, const std::vector<Payload> &payloads);

/// Any other rank: the next record, which is of this kind and of this thread; waits for it. `record` says what the
/// program does. `use` is called before any other thread gets the record after it. While `ready` returns false, the
/// record is not consumed. Ends the rank where rank 0's program
/// has done something else; `explain` may say more then.
using Use = std::function<void(const Record &record, const Payload &payload)>;
using Explain = std::function<std::string(const Payload &payload)>;
using Ready = std::function<bool(const Record &record)>;
Record await_record(const Record &record, const Use &use = {}, const Explain &explain = {}, const Ready &ready = {});

/// Any other rank: the next record, which is not consumed; nothing where none has come.
std::optional<Record> peek_record();

/// Any other rank, at its end: what the next record is, which is consumed where it is of what is shown.
enum class Last { none, shown, end };
Last receive_last(Payload &payload);

/// A thread but main()'s is about to await a record that comes soon: not that of a wait. It may sleep over it.
bool another_awaits();
/// main()'s thread awaits one.
bool main_awaits();
/// This thread, by the system's number, awaits one that is not the next.
bool awaits_in_vain(int thread);

/// Rank 0 has been asked to end the run: all ranks end, each at its next operation. Returns where there is no such wish.
void end_if_asked();
/// After the end: what a follower's program still wants of its X server, which it does not have. Returns on rank 0.
void leave_if_over();
/// The end has come, with that status.
void end_records(int status);
bool is_over();

} // namespace mpiglut::x11
