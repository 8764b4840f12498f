// MPIGLUT_EXPORT marks what the library interposes or offers. Everything else has hidden visibility, so that the
// dynamic symbol table is the list of interposed functions (own_symbol relies on it).
#pragma once

#define MPIGLUT_EXPORT extern "C" __attribute__((visibility("default")))
