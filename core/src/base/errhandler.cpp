#include "base/errhandler.h"

#include "base/options.h"

#include <array>
#include <cstdio>
#include <mutex>

namespace pixmpi {
namespace {

/// Of the process. Its own mutex: a call that failed may not have the library's lock.
struct ProcessHandler {
    std::mutex mutex;
    ErrorHandler handler;
};

/// Never destroyed, as the library.
ProcessHandler &of_process() {
    static auto *const one = new ProcessHandler;
    return *one;
}

thread_local ErrorHandler of_call;

/// A wrong word counts for nothing here: pixMPI_Comm_attach refuses it.
OnError by_environment() {
    OnError on_error = OnError::unsaid;
    (void)read_errors_variable(on_error);
    return on_error;
}

/// The handler of a call on no communicator, or on one without its own handler.
ErrorHandler default_handler() {
    const ErrorHandler set = process_handler();
    return set.function ? set : ErrorHandler{handler_of(by_environment())};
}

} // namespace

void set_process_handler(const ErrorHandler &handler) {
    ProcessHandler &process = of_process();
    const std::lock_guard lock(process.mutex);
    process.handler = handler;
}

ErrorHandler process_handler() {
    ProcessHandler &process = of_process();
    const std::lock_guard lock(process.mutex);
    return process.handler;
}

pixMPI_Errhandler handler_of(OnError on_error) {
    switch (on_error) {
    case OnError::print:
        return pixMPI_Errors_print;
    case OnError::abort:
        return pixMPI_Errors_abort;
    case OnError::returned:
        return pixMPI_Errors_return;
    case OnError::unsaid:
        break;
    }
    return nullptr;
}

void pixMPI_Internal_concerns(const ErrorHandler &handler) { of_call = handler; }

const ErrorHandler *pixMPI_Internal_concerned() { return &of_call; }

void forget_concern() { of_call = {}; }

void pixMPI_Internal_report(int code) {
    // What follows leaves the text of this error alone.
    std::array<char, Error().text.size()> text{};
    std::snprintf(text.data(), text.size(), "%s", error_text());
    ErrorHandler handler = of_call;
    if (!handler.function) {
        const ErrorHandler other = default_handler();
        handler.function = other.function ? other.function : handler.by_option;
        handler.data = other.data;
    }
    (handler.function ? handler.function : pixMPI_Errors_print)(handler.comm, code, text.data(), handler.data);
    restore_text(text.data());
}

} // namespace pixmpi
