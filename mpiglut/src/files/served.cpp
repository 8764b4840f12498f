#include "files/served.h"

#include "clock/callers.h"
#include "files/overlay.h"

#include <atomic>

namespace mpiglut::files {

namespace {

std::atomic<bool> begun{false};

} // namespace

void begin(const RunOptions &options) {
    begin_overlay(options.private_folder, options.memory_folder, options.began_ns);
    begun.store(true, std::memory_order_release);
}

bool serves(const void *caller) {
    return begun.load(std::memory_order_acquire) &&
           clock::origin_behind_cpp_library(caller) == clock::Origin::program;
}

} // namespace mpiglut::files
