// Ends in OpenGL.
#pragma once

#include "ends.h"

#include <gl_api.h>
#include <glmpi.h>
#include <headless.h>

namespace api {

/// The context of this rank, without a window: made on first use, current, kept until the end.
demo::Headless &need_context();

} // namespace api
