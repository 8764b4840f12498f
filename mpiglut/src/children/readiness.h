// Is there something to read of a started program? Every rank hears of rank 0's pipe.
#pragma once

#include <functional>
#include <poll.h>
#include <sys/select.h>

namespace mpiglut::children {

/// As poll(2) and select(2). `wait` calls these with the same arguments. Descriptors that are no such pipes are each
/// rank's own.
int poll_together(const void *caller, pollfd *descriptors, nfds_t count, const std::function<int()> &wait);
int select_together(const void *caller, int count, fd_set *read, fd_set *write, fd_set *except,
                    const std::function<int()> &wait);

} // namespace mpiglut::children
