// The test picture, drawn in wall pixels, y down.
#pragma once

#include "pattern_place.h"

namespace walltool {

/// `seconds`: where the moving bars are. The projection must map wall pixels to the window.
void draw_pattern(const Place &place, double seconds, long frame);

} // namespace walltool
