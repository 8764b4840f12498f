// The process that was launched, and its children, which are no ranks.
#pragma once

namespace mpiglut {

/// Is this the process that joined the wall? A child of it, made by fork or vfork, has the same memory and is none.
bool is_rank();

/// At load: children find every wrapper at rest, and a clock that flows.
void prepare_children();

/// A signal handler may have interrupted MPI, GL or malloc, and can do nothing with them.
bool in_signal_handler();

} // namespace mpiglut
