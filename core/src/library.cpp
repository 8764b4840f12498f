#include "library.h"

#include "operation.h"

namespace pixmpi {

Library &library() {
    // Never destroyed: other libraries' destructors may still free requests, and other processes have its memory
    // mapped.
    static Library *const one = new Library;
    return *one;
}

} // namespace pixmpi
