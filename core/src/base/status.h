// Errors: the code that first decides that something is wrong calls fail(), once; callers pass the code on.
#pragma once

#include "pixmpi.h"

#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <new>

namespace pixmpi {

/// PIXMPI_SUCCESS or a PIXMPI_ERR_*.
using Status = int;

extern "C" {
/// Records the text of this thread's last error behind rank and call, and returns the code. Exported for glmpi and
/// vkmpi.
PIXMPI_API int pixMPI_Internal_fail(int code, const char *text);
/// The public call that is being served, for the texts; null at its end. A constant string. Returns the one before: the
/// program may call from within a call (Options::log).
PIXMPI_API const char *pixMPI_Internal_call(const char *name);
/// The next call of this thread is one of another name, which the program called, and which does nothing else.
PIXMPI_API void pixMPI_Internal_next_call(const char *name);
/// A public call acquires the library's lock (base/lock.h) and gives it away. An error where it cannot have it.
/// `within_call`: the thread is in another public call, which must have given the lock away.
PIXMPI_API Status pixMPI_Internal_lock(bool within_call);
PIXMPI_API void pixMPI_Internal_unlock();
/// Calls the error handler (base/errhandler.h) for what a public call is about to return. Without the library's lock.
PIXMPI_API void pixMPI_Internal_report(int code);
}

/// fail(PIXMPI_ERR_TAG, "tag: %d, expected 0 to %d", tag, most): the argument, what it is, what was expected.
[[gnu::format(printf, 2, 3)]] inline Status fail(int code, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return pixMPI_Internal_fail(code, text);
}

/// For an error that is reported later, when its request is completed: by the call that does so, whichever call or
/// thread found it. Its text takes no memory: out of memory is also an error.
struct Error {
    Status code = PIXMPI_SUCCESS;
    std::array<char, 640> text{};
};
Error last_error(Status code);
Status repeat(const Error &error);

/// The text that pixMPI_Error_text() returns.
const char *error_text();
void restore_text(const char *text);

/// The rank in MPI_COMM_WORLD, once it is known.
void set_rank_in_texts(int rank);
int rank_in_texts();
/// Which public call this thread is in, counted from 1; 0: none. A value that the program cannot change during the call
/// need be asked for once.
std::uint64_t call_number();

/// Turns exceptions into codes.
template <class Body> Status without_throwing(Body body) noexcept {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return fail(PIXMPI_ERR_MEMORY, "out of memory");
    } catch (...) {
        return fail(PIXMPI_ERR_MEMORY, "the system refused a resource");
    }
}

/// The public call that this thread is in, for the texts.
class NamedCall {
  public:
    explicit NamedCall(const char *name) : before(pixMPI_Internal_call(name)) {}
    ~NamedCall() { pixMPI_Internal_call(before); }
    NamedCall(const NamedCall &) = delete;
    NamedCall &operator=(const NamedCall &) = delete;

    /// What the call returns, with no lock held. A call that one of the program's functions makes calls no handler.
    Status returns(Status status) const {
        if (status && !before)
            pixMPI_Internal_report(status);
        return status;
    }

    const char *const before;
};

/// The body of a public function: names it, and holds the library's lock. Nothing is thrown across the C interface.
template <class Body> int public_call(const char *name, Body body) noexcept {
    const NamedCall call(name);
    if (const Status refused = pixMPI_Internal_lock(call.before != nullptr))
        return call.returns(refused);
    const Status status = without_throwing(body);
    pixMPI_Internal_unlock();
    return call.returns(status);
}

/// The same without the lock: for calls that use nothing which is under it. They may take their time.
template <class Body> int call_without_lock(const char *name, Body body) noexcept {
    const NamedCall call(name);
    return call.returns(without_throwing(body));
}

} // namespace pixmpi
