#include "files/served.h"

#include "clock/callers.h"
#include "files/overlay.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <string_view>
#include <unwind.h>

namespace mpiglut::files {

namespace {

using clock::Origin;

std::atomic<bool> begun{false};

/// std::fstream and std::filesystem call the C library themselves.
bool in_cpp_library(const void *address) {
    Dl_info info{};
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    std::string_view file(info.dli_fname);
    file.remove_prefix(file.rfind('/') + 1);
    return file.starts_with("libstdc++") || file.starts_with("libc++");
}

/// It calls on behalf of whoever called it.
bool passes_on(const void *address) {
    const Origin origin = clock::origin(address);
    return origin == Origin::wrapper || (origin == Origin::system && in_cpp_library(address));
}

struct Search {
    const void *caller;
    bool reached;
    const void *behind;
};

_Unwind_Reason_Code look_behind(_Unwind_Context *frame, void *data) {
    auto *search = static_cast<Search *>(data);
    const auto *at = reinterpret_cast<const void *>(_Unwind_GetIP(frame));
    search->reached = search->reached || at == search->caller;
    if (!search->reached || passes_on(at))
        return _URC_NO_REASON;
    search->behind = at;
    return _URC_END_OF_STACK;
}

} // namespace

void begin(const RunOptions &options) {
    begin_overlay(options.private_folder, options.memory_folder, options.began_ns);
    begun.store(true, std::memory_order_release);
}

bool serves(const void *caller) {
    if (!begun.load(std::memory_order_acquire))
        return false;
    if (clock::origin(caller) == Origin::program)
        return true;
    if (!passes_on(caller))
        return false;
    Search search{caller, false, nullptr};
    _Unwind_Backtrace(look_behind, &search);
    return search.behind && clock::origin(search.behind) == Origin::program;
}

} // namespace mpiglut::files
