// The program's threads, named by the path of their creation: the n-th thread that this thread has made. So a thread has
// the same name on all ranks, whatever its number, and whatever else the library and the drivers have started.
//
// Threads that do nothing but read a connection, as Qt has one. Which events such a thread has taken in by the time
// that main()'s thread looks is a race, and no operation on a socket tells. So it runs only while main()'s thread
// stands at a tick: a swap, a wait of its own for other descriptors, or a wait within libxcb for a reply. There main()'s
// thread lets it read what has come, and goes on when it waits again. Each time is a record.
#pragma once

#include <cstdint>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string>
#include <vector>

namespace mpiglut::x11 {

/// This thread's. 0: main()'s. `unnamed_thread`: none of the program's.
std::uint32_t thread_name();
/// It is main()'s, of this rank's program itself. The ticks may be another thread's, from one moment to the next.
bool is_main_thread();
inline constexpr std::uint32_t unnamed_thread = UINT32_MAX;

/// For people: "the main thread", "thread 2.1".
std::string describe_thread(std::uint32_t name);

/// --threads ordered. Before there are threads.
void begin_order();
/// With --threads ordered: the order of this thread's locks, and of those of all threads that it makes from here on, is
/// rank 0's (locks.cpp). Without effect otherwise.
void keep_order();
bool keeps_order();
/// And there are others whose order is kept.
bool has_company();

/// What main()'s thread waits at beside threads that read; any other value is a hash of what descriptors it waits for.
enum At : std::int64_t { at_swap = -1, at_reply = -2, at_lookout = -3, at_thread = -4 };

// --- handoff.cpp ---------------------------------------------------------------------------------------------------
/// This wait is one of such a thread.
bool is_reader(const pollfd *descriptors, nfds_t count, std::int64_t ns);
/// It waits until it may read; as poll(2), for the one descriptor.
int wait_as_reader(pollfd &connection);
/// Of this thread's last read: libxcb waits for the rest of a packet with its lock held, where no thread may be parked.
void note_read(bool whole);
/// This thread ends.
void end_as_reader();
/// A reader waits for main()'s thread.
bool is_parked(int connection);

/// This is main()'s thread, and the program has such threads: what it does next may be a tick.
bool is_at_tick();
/// At a swap.
void let_readers_run();
/// As ppoll(2), with none of the descriptors recorded.
int wait_beside_readers(pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask);

/// The call comes from libxcb; or from there or libX11.
bool in_libxcb(const void *caller);
bool in_x_library(const void *caller);
/// This call of pthread_cond_wait(3), from there, waits for a reply that such a thread reads; false if it does not.
bool wait_as_main(const void *caller, pthread_mutex_t *mutex);

// --- lookout.cpp: Tcl's thread that looks at descriptors for main()'s thread, and tells it by a condition ---------------
/// This is such a thread, which waits.
bool is_lookout(const void *caller);
/// It waits until main()'s thread waits for it and something has come; as poll(2).
int look_out(std::vector<pollfd> &list, std::int64_t ns);
/// This thread ends.
void end_as_lookout();
/// main()'s thread has called from there to acquire a lock, and has made threads.
void look_at_new_threads(const void *caller);
/// How often it will look.
extern constinit int looks_left;
/// The program has made threads, as far as main()'s thread knows; and it is this one.
bool main_has_threads();
/// A new thread sleeps when this returns true, whatever it waits for. False where it has ended, or computes.
bool settle(int thread);
/// The same of one that main()'s thread has just made, with this name: as rank 0's.
bool settle_new(int thread, std::uint32_t name);

} // namespace mpiglut::x11
