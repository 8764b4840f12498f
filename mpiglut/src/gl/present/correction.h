// The brightness, gamma and colours of this tile. They apply to the real window's back buffer between the last word on
// the picture and its exchange, so that captures and the operator's page have the picture as the program drew it.
#pragma once

#include "wall/wall.h"

#include <GL/glx.h>

#include <array>
#include <cstdint>

namespace mpiglut {
struct Window;
}

namespace mpiglut::gl {

void set_correction(const pixmpi::Correction &correction);
pixmpi::Correction correction();
/// What it makes of values of 8 bits: red, green, blue.
using CorrectionTable = std::array<std::array<std::uint8_t, 256>, 3>;
CorrectionTable table_of(const pixmpi::Correction &correction);
/// The tile's colours are not the program's.
bool corrects();
/// Corrects what is in the window's back buffer, with a context of the library, and makes the program's context
/// current again.
void correct(Window &window);
/// The same with a context of the library that draws to the real window already, and reads from it.
void correct_here(const Window &window);
/// Before a context of the library goes.
void forget_correction(GLXContext context);

} // namespace mpiglut::gl
