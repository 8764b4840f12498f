// A stream over a descriptor that all ranks read together: the C library's own streams read it behind our back.
#pragma once

#include <cstdio>

namespace mpiglut::children {

struct Stream {
    int fd = -1;              ///< which fileno(3) gives
    std::FILE *real = nullptr; ///< rank 0, of popen: the stream that the command writes to
    int status = 0;           ///< once it is closed
    bool leave = false;       ///< the status is wanted: the caller of fclose frees this
};
/// Takes over the stream's parts. Null with errno set if that fails.
std::FILE *open_stream(Stream *stream, const char *mode);

} // namespace mpiglut::children
