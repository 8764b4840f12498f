// Copies between two textures of one context.
#pragma once

#include "host/straight_copy.h"
#include "surface/gl_surface.h"

#include <memory>
#include <span>

namespace glmpi {

/// `copy` stays null where they have no such way: other formats or shapes, one texture, many rectangles.
void make_texture_copy(std::span<const pixmpi::CopiesStraight::Ends> planes,
                       std::unique_ptr<pixmpi::StraightCopy> &copy);

} // namespace glmpi
