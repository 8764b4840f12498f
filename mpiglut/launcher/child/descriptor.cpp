#include "child/descriptor.h"

#include <fcntl.h>

namespace mpiglut::launcher {

Pipe make_pipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0)
        return {};
    return {Descriptor(fds[0]), Descriptor(fds[1])};
}

void set_nonblocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

void open_standard_streams() {
    int fd;
    while ((fd = ::open("/dev/null", O_RDWR)) >= 0 && fd < 3) {
    }
    ::close(fd);
}

} // namespace mpiglut::launcher
