#include "request/runtime.h"

#include "request/request.h"

namespace pixmpi {

Runtime &runtime() {
    // Never destroyed: other libraries' destructors may still free requests, and other processes have its memory
    // mapped.
    static Runtime *const one = [] {
        auto *const made = new Runtime;
        log_by(made->options);
        return made;
    }();
    return *one;
}

Process &process() { return runtime(); }

} // namespace pixmpi
