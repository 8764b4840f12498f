// What an object file in the program's memory is, by its name and by what it contains.
#pragma once

#include "clock/callers.h"

#include <link.h>
#include <string>

namespace mpiglut::clock {

/// By the file's name and folder.
Origin origin_of_library(const char *path);

/// From the library's constructor: toolkits above X also have the program's clock.
void count_toolkits_as_program(bool wanted);

/// Whether it makes random numbers that must not be predictable: it exports a function that does. The file's name does
/// not matter. For a callback of dl_iterate_phdr, so it takes no lock and no memory.
bool has_cryptography(const dl_phdr_info &object);

/// The program's own files, outside the system's folders, that contain an instruction of the processor that makes
/// random numbers (rdrand, rdseed), by their names with commas between. No library can make these the same on every
/// rank.
std::string files_with_processor_random();

} // namespace mpiglut::clock
