// Sockets whose operations rank 0 alone does in earnest: those of X11 programs to the wall's X server. The interposed
// functions ask here. What is declared here is defined in system/x11, which stands above them.
#pragma once

namespace mpiglut {
struct RunOptions;
}

namespace mpiglut::sockets {

/// From the library's constructor.
void begin(const RunOptions &options);

} // namespace mpiglut::sockets
