#include "request/runtime.h"

#include "request/request.h"

namespace pixmpi {

Runtime &runtime() {
    // Never destroyed: other libraries' destructors may still free requests, and other processes have its memory
    // mapped.
    static auto *const one = new Runtime;
    need_lock("what a process has one of was used");
    return *one;
}

Process &process() { return runtime(); }

} // namespace pixmpi
