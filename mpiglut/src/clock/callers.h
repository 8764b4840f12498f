// Which code belongs to the program, by address.
#pragma once

namespace mpiglut::clock {

enum class Origin {
    program, ///< the executable, its own libraries, and code that is in no file (made at run time)
    system,  ///< the C library, X, GL, MPI and similar libraries, this library: they go by the real time
    wrapper, ///< a sanitizer's interceptor, which calls on behalf of other code
};

/// From any thread; takes no memory from malloc.
Origin origin(const void *address);

/// Whose call it is that returns to this address, in a function that is being called right now: for a wrapper, the one
/// who called it.
Origin origin_of_call(const void *return_address);

/// The same where the C++ library calls on behalf of other code: the origin of that code.
Origin origin_behind_cpp_library(const void *return_address);

/// May such a call get random numbers that are the same on every rank? No cryptographic library gets them, since they
/// can be predicted.
bool may_share_random(const void *return_address);

/// Looks for libraries that have come or gone; cheap when there are none.
void refresh_origins();

} // namespace mpiglut::clock
