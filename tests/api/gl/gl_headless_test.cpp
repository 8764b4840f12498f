// Contexts that the library makes.
#include "rig/ends_gl.h"

#include <glmpi_context.h>

using namespace api;

namespace {

/// Of the library's, until the end of a case. The context of the tests is current again then.
struct Own {
    explicit Own(const glMPI_Context_info *info = nullptr) {
        need_context();
        NEED_OK(glMPI_Context_create(info, &context));
    }
    ~Own() {
        if (context)
            CHECK_OK(glMPI_Context_free(&context));
        CHECK(context == GLMPI_CONTEXT_NULL);
        CHECK(need_context().make_current());
    }
    glMPI_Context context = GLMPI_CONTEXT_NULL;
};

GLuint texture_of(const Bytes &pixels, int width) {
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, static_cast<int>(pixels.size()) / 4 / width, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, pixels.data());
    return name;
}

Bytes pixels_of(GLuint name, std::size_t bytes) {
    Bytes pixels(bytes);
    glBindTexture(GL_TEXTURE_2D, name);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    return pixels;
}

} // namespace

RANK_CASE(gl_headless, sends_and_receives, 1) {
    const Own own;
    const char *text = nullptr;
    CHECK_OK(glMPI_Context_text(own.context, &text));
    CHECK(text && std::string_view(text).find("core profile ") != std::string_view::npos);
    const Bytes mine = pattern(64 * 48 * 4, static_cast<std::uint64_t>(rank));
    const GLuint name = texture_of(mine, 64);
    CHECK_OK(glMPI_Sendrecv_replace(glMPI_Texture2D(name), PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, world(),
                                    MPI_STATUS_IGNORE));
    CHECK_PIXELS(pixels_of(name, mine.size()), pattern(64 * 48 * 4, static_cast<std::uint64_t>(previous_rank())), 64,
                 4);
    CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    CHECK(glMPI_Context_function("glClear") != nullptr);
    CHECK(glMPI_Context_function(nullptr) == nullptr);
}

RANK_CASE(gl_headless, options, 1) {
    glMPI_Context_info info = GLMPI_CONTEXT_INFO_INIT;
    info.width = 33;
    info.height = 17;
    info.compatibility = 1;
    info.debug = 1;
    const Own one(&info);
    GLint viewport[4] = {}, mask = 0, flags = 0;
    glGetIntegerv(GL_VIEWPORT, viewport);
    glGetIntegerv(GL_CONTEXT_PROFILE_MASK, &mask);
    glGetIntegerv(GL_CONTEXT_FLAGS, &flags);
    CHECK_EQ(viewport[2], 33);
    CHECK_EQ(viewport[3], 17);
    CHECK_EQ(mask, GL_CONTEXT_COMPATIBILITY_PROFILE_BIT);
    CHECK(flags & GL_CONTEXT_FLAG_DEBUG_BIT);
    int width = 0, height = 0;
    CHECK_OK(pixMPI_Surface_get_size(glMPI_Framebuffer(0, GL_BACK), &width, &height));
    CHECK(width == 33 && height == 17);

    const Bytes pixels = pattern(32 * 8 * 4, 5);
    const GLuint name = texture_of(pixels, 32);
    glFinish();
    info.share = one.context;
    const Own other(&info);
    CHECK_PIXELS(pixels_of(name, pixels.size()), pixels, 32, 4);
}

RANK_CASE(gl_headless, current_or_not, 1) {
    Own own;
    Bytes pixels = pattern(32 * 8 * 4, 5);
    const GLuint name = texture_of(pixels, 32);
    CHECK_OK(glMPI_Context_bind(GLMPI_CONTEXT_NULL));
    CHECK_FAILS(glMPI_Send(glMPI_Texture2D(name), PIXMPI_WHOLE, rank, 1, world()), PIXMPI_ERR_CONTEXT,
                "none is current");
    CHECK_OK(glMPI_Context_bind(own.context));
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    NEED_OK(glMPI_Irecv(glMPI_Texture2D(name), PIXMPI_WHOLE, rank, 1, world(), &request));
    CHECK_FAILS(glMPI_Context_free(&own.context), PIXMPI_ERR_REQUEST, "context under way");
    NEED_OK(pixMPI_Send(pixMPI_Memory(pixels.data(), PIXMPI_RGBA8, 32, 8), PIXMPI_WHOLE, rank, 1, world()));
    NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    // One that is not current is destroyed; the other one stays.
    CHECK(need_context().make_current());
    CHECK_OK(glMPI_Context_free(&own.context));
    GLint version = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &version);
    CHECK(version >= 3);
}

RANK_CASE(gl_headless, wrong_arguments, 1) {
    need_context();
    glMPI_Context context = GLMPI_CONTEXT_NULL;
    glMPI_Context_info info = GLMPI_CONTEXT_INFO_INIT;
    CHECK_FAILS(glMPI_Context_create(&info, nullptr), PIXMPI_ERR_ARGUMENT, "context: null");
    info.struct_size = 0;
    CHECK_FAILS(glMPI_Context_create(&info, &context), PIXMPI_ERR_ARGUMENT, "info.struct_size");
    info = GLMPI_CONTEXT_INFO_INIT;
    info.width = 5;
    CHECK_FAILS(glMPI_Context_create(&info, &context), PIXMPI_ERR_ARGUMENT, "info.height: 0");
    info.width = -1;
    CHECK_FAILS(glMPI_Context_create(&info, &context), PIXMPI_ERR_ARGUMENT, "info.width: -1");
    info = GLMPI_CONTEXT_INFO_INIT;
    info.major = 9;
    CHECK_FAILS(glMPI_Context_create(&info, &context), PIXMPI_ERR_DEVICE, "version 9.0 tried:");
    info.major = 0;
    info.device = "no such GPU";
    CHECK_FAILS(glMPI_Context_create(&info, &context), PIXMPI_ERR_DEVICE, "no such GPU there are:");
    CHECK(need_context().make_current());
    {
        const Setting last_word("PIXMPI_GL_DEVICE=software");
        CHECK_OK(glMPI_Context_create(&info, &context));
        CHECK_OK(glMPI_Context_free(&context));
    }
    CHECK_FAILS(glMPI_Context_free(&context), PIXMPI_ERR_ARGUMENT, "GLMPI_CONTEXT_NULL");
    context = reinterpret_cast<glMPI_Context>(std::uintptr_t{0x1234});
    CHECK_FAILS(glMPI_Context_bind(context), PIXMPI_ERR_ARGUMENT, "foreign");
    CHECK(need_context().make_current());
}
