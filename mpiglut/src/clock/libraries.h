// What an object file in the program's memory is, by its name and by what it contains.
#pragma once

#include "clock/callers.h"

#include <link.h>
#include <string>

namespace mpiglut::clock {

/// By the file's name and folder.
Origin origin_of_library(const char *path);

/// From the library's constructor: the clock of toolkits above X is the program's, too.
void count_toolkits_as_program(bool wanted);

/// Whether it makes random numbers that nobody may predict: it exports a function that does. What the file is called
/// does not matter. For a callback of dl_iterate_phdr, so it takes no lock and no memory.
bool has_cryptography(const dl_phdr_info &object);

/// The program's own files, outside the system's folders, that contain an instruction with which the processor makes
/// random numbers (rdrand, rdseed), by their names with commas between. No library can make these the same on every
/// rank.
std::string files_with_processor_random();

} // namespace mpiglut::clock
