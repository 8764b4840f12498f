// --api gl: textures, framebuffers and buffers of a headless context.
#pragma once

#include "object/api.h"

std::unique_ptr<Api> make_gl_api();
