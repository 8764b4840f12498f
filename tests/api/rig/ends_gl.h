// Ends in OpenGL.
#pragma once

#include "rig/ends.h"

#include <gl_api.h>
#include <glmpi.h>
#include <headless.h>

namespace api {

/// For contexts of tests: an error that OpenGL tells a program's debug callback fails the test. What provokes errors
/// itself switches GL_DEBUG_OUTPUT off meanwhile.
demo::HeadlessOptions context_options();

/// The context of this rank, without a window: made on first use, current, kept until the end.
demo::Headless &need_context();

} // namespace api
