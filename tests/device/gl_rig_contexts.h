// The contexts of OpenGL's rigs, one for each way to work that a driver may leave us.
#pragma once

#include "device/gl_contexts.h"
#include "glmpi.h"
#include "surface/gl_surface.h"

#include <memory>

namespace gl_rig {

enum class Path {
    direct,        ///< by pointer
    pixel_buffers, ///< through persistent pixel buffers
    old_direct,    ///< by pointer, with nothing beyond OpenGL 3.3
    old_pixel_buffers,
    shaders ///< through pixel buffers, moved by shaders as far as they can
};
constexpr Path paths[] = {Path::direct, Path::pixel_buffers, Path::old_direct, Path::old_pixel_buffers, Path::shaders};
const char *path_name(Path path);
/// Whether the path's device runs passes of shaders.
constexpr bool has_passes(Path path) { return path == Path::pixel_buffers || path == Path::shaders; }

/// Makes the path's context current, and its device on first use. The context has a default framebuffer.
std::shared_ptr<glmpi::GlDevice> use(Path path);

constexpr int window_width = 96, window_height = 64;

/// The surface that a public call would find; null, with a failed test, when it would be refused.
std::shared_ptr<glmpi::GlSurface> resolved(glmpi::GlDevice &device, const pixMPI_Surface &named);

} // namespace gl_rig
