// 2 * first - second, which neither commutes nor associates: an operation of a program's own, for tests. It gives the
// same bits in C and in GLSL, since each step is exact or rounded once.
#pragma once

#include <pixmpi_collectives.h>

namespace twice_less {

extern const char *const glsl;

/// A pixMPI_Op_function. `data`: a std::atomic<int> that counts the calls, or null.
void combine(const void *first, const void *second, void *result, size_t pixels, pixMPI_Format format, void *data);

} // namespace twice_less
