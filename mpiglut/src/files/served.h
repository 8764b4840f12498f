// Which calls of the C library's file functions are the program's, so that the wall may answer them.
#pragma once

#include "run/options.h"

#include <sys/socket.h>

namespace mpiglut::files {

/// From the library's constructor, behind clock::begin.
void begin(const RunOptions &options);

/// Who called an interposed function: MPIGLUT_FILE_CALLER, in that function itself.
#define MPIGLUT_FILE_CALLER __builtin_return_address(0)

/// Is this a call of the program, by way of the C++ library or not? Without a launcher there is none.
bool serves(const void *caller);

/// As connect(2): to the socket that this rank finds under a path.
int connect(const void *caller, int fd, const sockaddr *address, socklen_t size);

} // namespace mpiglut::files
