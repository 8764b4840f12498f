// Programs that the program starts: rank 0's are the real ones. The other ranks start stand-ins, which take what the
// program writes and do nothing. All ranks get the results of rank 0's programs (bytes, exit status), where the
// program asks for them.
//
// All this is for threads in step (clock/role.h), from glutInit on. What other threads start, and what is started
// earlier, every rank starts for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mpiglut {
struct RunOptions;
}

namespace mpiglut::children {

/// From the library's constructor.
void begin(const RunOptions &options);
/// The ranks are about to part: nothing is told any more.
void end();

/// Are rank 0's programs the real ones? (--commands first)
bool are_rank_zeros();

enum class Part {
    none,    ///< the call is not the program's, or each rank's own
    leads,   ///< rank 0
    follows, ///< any other rank
};
/// Of this call (MPIGLUT_FILE_CALLER) in this thread. `name` is told to the user if the thread is out of step.
Part part(const void *caller, const char *name = nullptr);
/// The same for code of the library that acts for the program.
Part part_here();
/// Names a thread out of step that does this, if there are several ranks.
void note_thread(const char *what);
/// In a child that has forked: that of the thread that did. It goes on to grandchildren.
Part part_of_child();

/// What a call has come to.
struct Outcome {
    std::int64_t value = 0;
    std::int32_t error = 0, status = 0;
};
/// Rank 0's on every rank, with errno set to `error`. If one rank alone comes here, it keeps its own.
void tell(Part part, Outcome &outcome);
/// The same for bytes. All ranks know their number.
void tell(Part part, std::span<std::byte> bytes);
/// Bytes have been told; waits for slow ranks now and then, so that what is on its way stays small.
void keep_pace(std::size_t bytes);

// --- what parents and children share -------------------------------------------------------------------------------
/// Started programs write into this pipe, or it is a socket: its bytes are rank 0's.
void announce_pipe(int fd);
bool is_announced(int fd);
bool any_announced();
/// Something to read instead of rank 0's pipe, which never blocks, so that the rank asks rank 0; or to write to.
int stand_in_pipe(int flags);
/// This process is about to become a stand-in.
void announce_stand_in(pid_t pid);
bool is_stand_in(pid_t pid);
/// This descriptor is what the rank itself had from the start as standard output or standard error.
bool is_rank_output(int fd);

/// The children that this process has started, in order.
void add_child(pid_t pid);
std::int64_t number_of(pid_t pid); ///< -1: none of them
pid_t child(std::int64_t number);  ///< 0: there is none

/// What a stand-in executes: takes what comes on its standard input if that is a pipe of the program.
struct StandIn {
    StandIn();
    std::string input;
    std::vector<char *> arguments;
    static constexpr const char *path = "/bin/sh";
};
/// Could exec do this? Otherwise the system says why not.
bool can_execute(const char *file, bool search);

} // namespace mpiglut::children
