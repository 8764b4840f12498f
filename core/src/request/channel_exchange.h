// What an attachment of a channel does among the processes when it is made: all of it is collective, and all other
// requests move along meanwhile.
#pragma once

#include "request/channel.h"

namespace pixmpi {

/// What a process tells the others.
using Words = std::vector<std::uint64_t>;

/// Brings each process' words to all, by rank; as many on all of them.
Status gather_words(Runtime &runtime, Lock &lock, const Channel &channel, MPI_Comm comm, const Words &mine,
                    std::vector<Words> &all);
/// A byte from each process for each other one.
Status exchange_bytes(Runtime &runtime, Lock &lock, MPI_Comm comm, const std::vector<char> &to,
                      std::vector<char> &from);
/// A duplicate of an attached communicator, which is attached itself.
Status duplicate(Runtime &runtime, Lock &lock, MPI_Comm comm, MPI_Comm &copy);
/// Frees a duplicate, if there is one.
void free_duplicate(MPI_Comm &copy);
/// Whether MPI accepts calls of several threads at once.
bool supports_threads();

} // namespace pixmpi
