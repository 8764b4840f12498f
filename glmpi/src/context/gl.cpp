#include "context/gl.h"

#include <cstring>

namespace glmpi {

bool load_functions(void *(*lookup)(const char *name), Gl &gl) {
#define X(TYPE, name) gl.name = reinterpret_cast<PFNGL##TYPE##PROC>(lookup("gl" #name));
    GLMPI_GL_FUNCTIONS(X)
#undef X
    // Loaders answer names that they do not know with null or with something; of those in 3.3, a few stand for all.
    return gl.GetError && gl.GetIntegerv && gl.GetString && gl.GetStringi && gl.BindFramebuffer && gl.FenceSync &&
           gl.BlitFramebuffer && gl.MapBufferRange && gl.TexSubImage3D && gl.ReadPixels;
}

namespace {

bool has_extension(const Gl &gl, const char *name) {
    GLint count = 0;
    gl.GetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; ++i) {
        const auto *text = reinterpret_cast<const char *>(gl.GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
        if (text && std::strcmp(text, name) == 0)
            return true;
    }
    return false;
}

} // namespace

Features find_features(const Gl &gl) {
    Features f;
    GLint major = 0, minor = 0, profile = 0, flags = 0;
    gl.GetIntegerv(GL_MAJOR_VERSION, &major);
    gl.GetIntegerv(GL_MINOR_VERSION, &minor);
    gl.GetIntegerv(GL_CONTEXT_PROFILE_MASK, &profile);
    gl.GetIntegerv(GL_CONTEXT_FLAGS, &flags);
    f.version = 10 * major + minor;
    f.compatibility = (profile & GL_CONTEXT_CORE_PROFILE_BIT) == 0;
    f.no_errors = (flags & GL_CONTEXT_FLAG_NO_ERROR_BIT) != 0;
    const auto has = [&](int version, const char *extension) {
        return f.version >= version || has_extension(gl, extension);
    };
    f.direct_state = f.version >= 45 || (has_extension(gl, "GL_ARB_direct_state_access") &&
                                         has_extension(gl, "GL_ARB_get_texture_sub_image"));
    f.buffer_storage = has(44, "GL_ARB_buffer_storage");
    f.copy_image = has(43, "GL_ARB_copy_image");
    f.compute = f.version >= 43;
    f.labels = has(43, "GL_KHR_debug");
    f.texture_storage = has(42, "GL_ARB_texture_storage");
    f.indexed_scissor = has(41, "GL_ARB_viewport_array");
    f.depth_bounds = has_extension(gl, "GL_EXT_depth_bounds_test");
    f.window_rectangles = has_extension(gl, "GL_EXT_window_rectangles");
    f.pipeline_statistics = has(46, "GL_ARB_pipeline_statistics_query");
    f.memory_descriptors = has_extension(gl, "GL_EXT_memory_object_fd") && gl.ImportMemoryFdEXT &&
                           gl.BufferStorageMemEXT && gl.GetUnsignedBytei_vEXT;
    f.pack_invert = has_extension(gl, "GL_MESA_pack_invert");
    f.multiview = has_extension(gl, "GL_OVR_multiview");
    return f;
}

} // namespace glmpi
