// Answers of the driver that differ between ranks although they run the same program: all ranks get the least of them.
#pragma once

#include <GL/gl.h>

#include <cstdint>

namespace mpiglut::gl {

/// A collective: the least of what the ranks have, or `mine` where they have parted ways.
std::int64_t least_of_ranks(std::int64_t mine);

/// Of how many numbers the driver measures under that name, such as free memory; 0 for all else.
int measured_numbers(GLenum name);

/// What glGetShaderiv or glGetProgramiv said: compilation in parallel is complete once it is on every rank.
void agree_on_completion(GLenum name, GLint *value);

} // namespace mpiglut::gl
