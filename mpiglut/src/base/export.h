// MPIGLUT_EXPORT marks what the library interposes or offers. Everything else has hidden visibility, so that the
// dynamic symbol table is the list of interposed functions (own_symbol relies on it).
#pragma once

#define MPIGLUT_EXPORT extern "C" __attribute__((visibility("default")))

/// For what libraries call while they are loaded, before a sanitizer's runtime can check memory. It holds for the
/// function's own code: not for lambdas, REAL among them, and not for functions that it calls.
#define MPIGLUT_UNCHECKED __attribute__((no_sanitize("address", "undefined", "thread")))
