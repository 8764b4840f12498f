#define GL_GLEXT_PROTOTYPES
#include "gl_rig_contexts.h"

#include "headless.h"
#include "request/runtime.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <iterator>

namespace gl_rig {

const char *path_name(Path path) {
    switch (path) {
    case Path::direct:
        return "gl_direct";
    case Path::pixel_buffers:
        return "gl_pbo";
    case Path::old_direct:
        return "gl33_direct";
    case Path::shaders:
        return "gl_shaders";
    default:
        return "gl33_pbo";
    }
}

namespace {

struct Parts {
    std::unique_ptr<demo::Headless> context;
    std::shared_ptr<glmpi::GlDevice> device;
};

// Until the process ends: surfaces of a test may outlive it.
Parts &parts(Path path) {
    static auto *const all = new Parts[std::size(paths)];
    return all[static_cast<int>(path)];
}

void keep_to_3_3(glmpi::Features &features) {
    features.version = 33;
    features.direct_state = features.texture_target = features.buffer_storage = features.copy_image = features.compute =
        false;
    features.texture_storage = features.indexed_scissor = features.labels = false;
}

void make(Path path, Parts &made) {
    // Stage memory without an attachment: nothing here sends a message.
    pixmpi::StageMemory &stage = pixmpi::runtime().stage;
    if (!stage.map().base) {
        ASSERT_EQ(stage.open(std::size_t{64} << 20, 1), PIXMPI_SUCCESS);
    }

    demo::HeadlessOptions options;
    options.compatibility = path == Path::pixel_buffers || path == Path::old_direct;
    options.width = window_width;
    options.height = window_height;
    options.on_error = [](const char *text) { ADD_FAILURE() << "OpenGL's debug callback was told: " << text; };
    std::string error;
    made.context = demo::Headless::make(options, error);
    ASSERT_NE(made.context, nullptr) << error;
    const bool buffers = path == Path::pixel_buffers || path == Path::old_pixel_buffers || path == Path::shaders;
    setenv("PIXMPI_GL_PATH", buffers ? "pbo" : "direct", 1);
    setenv("PIXMPI_GL_PACK", path == Path::shaders ? "shader" : "", 1);
    ASSERT_EQ(glmpi::current_device(made.device), PIXMPI_SUCCESS) << pixMPI_Error_text();
    if (path == Path::old_direct || path == Path::old_pixel_buffers) {
        keep_to_3_3(made.device->features);
        made.device->idle_query = 0;
    }
}

} // namespace

std::shared_ptr<glmpi::GlDevice> use(Path path) {
    Parts &made = parts(path);
    if (!made.context)
        make(path, made);
    EXPECT_TRUE(made.context->make_current());
    return made.device;
}

std::shared_ptr<glmpi::GlSurface> resolved(glmpi::GlDevice &device, const pixMPI_Surface &named) {
    std::shared_ptr<glmpi::GlSurface> surface;
    EXPECT_EQ(glmpi::resolve(device, named, surface), PIXMPI_SUCCESS) << pixMPI_Error_text();
    return surface;
}

} // namespace gl_rig
