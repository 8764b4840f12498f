// The process that was launched, and its children, which are no ranks.
#pragma once

#include <string>

namespace mpiglut {

/// Is this the process that joined the wall? A child of it, made by fork or vfork, has the same memory and is none.
bool is_rank();

/// At load: children find every wrapper at rest, and a clock that flows.
void prepare_children();

/// At load, from a function without a guard of its own: threads made from here on have it as well. Memory that the
/// program has not written holds it, where the stack was used before.
void share_stack_guard(const std::string &digits);

/// A signal handler may have interrupted MPI, GL or malloc, and can do nothing with them.
bool in_signal_handler();

} // namespace mpiglut
