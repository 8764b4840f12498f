// The library that makes surfaces of each API.
#pragma once

#include "api/core.h"

namespace pixmpi {

void set_maker(std::uint32_t api, SurfaceMaker &maker);

} // namespace pixmpi
