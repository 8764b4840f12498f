// Bad input that only OpenGL has.
#include "rig/ends_gl.h"

using namespace api;

namespace {

constexpr int edge = 32;

/// A texture with known contents and a framebuffer around it.
struct Good {
    Good() {
        need_context();
        texture = end_kinds()[2].make(PIXMPI_RGBA8, edge, edge);
        before = texture->fill(1);
        NEED(glGetError() == GL_NO_ERROR);
    }
    ~Good() {
        CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        CHECK_PIXELS(texture->read(), before, edge, 4);
        // The next message works.
        MPI_Status status;
        NEED_OK(texture->sendrecv_replace(PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, &status));
    }
    std::unique_ptr<End> texture;
    Bytes before;
};

/// Every verb refuses it in the same way, and so does asking what it is.
void refused(pixMPI_Surface s, int code, const char *argument = "surface") {
    const auto words = [&](const char *call) {
        static std::string text;
        text = std::string("glMPI_") + call + " " + argument + " expected";
        return text.c_str();
    };
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    CHECK_FAILS(glMPI_Send(s, PIXMPI_WHOLE, rank, 1, world()), code, words("Send"));
    CHECK_FAILS(glMPI_Recv(s, PIXMPI_WHOLE, rank, 1, world(), MPI_STATUS_IGNORE), code, words("Recv"));
    CHECK_FAILS(glMPI_Isend(s, PIXMPI_WHOLE, rank, 1, world(), &request), code, words("Isend"));
    CHECK_FAILS(glMPI_Irecv(s, PIXMPI_WHOLE, rank, 1, world(), &request), code, words("Irecv"));
    CHECK_FAILS(glMPI_Send_init(s, PIXMPI_WHOLE, rank, 1, world(), &request), code, words("Send_init"));
    CHECK_FAILS(glMPI_Recv_init(s, PIXMPI_WHOLE, rank, 1, world(), &request), code, words("Recv_init"));
    CHECK_FAILS(glMPI_Sendrecv(s, PIXMPI_WHOLE, rank, 1, s, PIXMPI_WHOLE, rank, 1, world(), MPI_STATUS_IGNORE), code,
                words("Sendrecv"));
    CHECK_FAILS(glMPI_Sendrecv_replace(s, PIXMPI_WHOLE, rank, 1, rank, 1, world(), MPI_STATUS_IGNORE), code,
                words("Sendrecv_replace"));
    CHECK(request == PIXMPI_REQUEST_NULL);
}

} // namespace

RANK_CASE(gl_errors, no_such_surface, 1) {
    Good good;
    pixMPI_Surface nothing{};
    nothing.api = PIXMPI_API_GL;
    note("kind none");
    refused(nothing, PIXMPI_ERR_SURFACE);
    nothing.kind = 7;
    refused(nothing, PIXMPI_ERR_SURFACE);
    note("names that do not exist");
    refused(glMPI_Texture2D(0), PIXMPI_ERR_SURFACE);
    refused(glMPI_Texture2D(987'654), PIXMPI_ERR_SURFACE);
    refused(glMPI_Renderbuffer(987'654), PIXMPI_ERR_SURFACE);
    refused(glMPI_Framebuffer(987'654, GL_COLOR_ATTACHMENT0), PIXMPI_ERR_SURFACE);
    refused(glMPI_Buffer(987'654, PIXMPI_RGBA8, 4, 4), PIXMPI_ERR_SURFACE);
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindTexture(GL_TEXTURE_2D, 0);
    note("levels, layers and targets that the texture does not have");
    refused(glMPI_Texture(GL_TEXTURE_2D, texture, 1, 0), PIXMPI_ERR_SURFACE);
    refused(glMPI_Texture(GL_TEXTURE_2D, texture, -1, 0), PIXMPI_ERR_SURFACE);
    refused(glMPI_Texture(GL_TEXTURE_2D, texture, 1000, 0), PIXMPI_ERR_SURFACE);
    refused(glMPI_Texture(GL_TEXTURE_2D, texture, 0, 1), PIXMPI_ERR_SURFACE);
    refused(glMPI_Texture(GL_TEXTURE_3D, texture, 0, 0), PIXMPI_ERR_SURFACE);
    refused(glMPI_Texture(GL_RGBA, texture, 0, 0), PIXMPI_ERR_SURFACE);
    glDeleteTextures(1, &texture);
    note("deleted");
    refused(glMPI_Texture2D(texture), PIXMPI_ERR_SURFACE);
}

RANK_CASE(gl_errors, framebuffers, 1) {
    Good good;
    GLuint framebuffer = 0, small = 0;
    glGenFramebuffers(1, &framebuffer);
    glGenTextures(1, &small);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    note("nothing attached");
    refused(glMPI_Framebuffer(framebuffer, GL_COLOR_ATTACHMENT0), PIXMPI_ERR_SURFACE);
    glBindTexture(GL_TEXTURE_2D, small);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, small, 0);
    CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    note("a texture without an image attached");
    refused(glMPI_Framebuffer(framebuffer, GL_COLOR_ATTACHMENT0), PIXMPI_ERR_SURFACE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindTexture(GL_TEXTURE_2D, 0);
    note("attachments that it does not have");
    refused(glMPI_Framebuffer(framebuffer, GL_COLOR_ATTACHMENT1), PIXMPI_ERR_SURFACE);
    refused(glMPI_Framebuffer(framebuffer, GL_DEPTH_ATTACHMENT), PIXMPI_ERR_SURFACE);
    refused(glMPI_Framebuffer(framebuffer, GL_RGBA), PIXMPI_ERR_SURFACE);
    note("a default framebuffer that does not exist");
    refused(glMPI_Framebuffer(0, GL_BACK), PIXMPI_ERR_SURFACE);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &small);
}

RANK_CASE(gl_errors, multisampled, 1) {
    Good good;
    GLuint texture = 0, renderbuffer = 0, framebuffer = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, 16, 16, GL_TRUE);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, 0);
    glGenRenderbuffers(1, &renderbuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 16, 16);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
    NEED(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    refused(glMPI_Texture(GL_TEXTURE_2D_MULTISAMPLE, texture, 0, 0), PIXMPI_ERR_SURFACE);
    refused(glMPI_Renderbuffer(renderbuffer), PIXMPI_ERR_SURFACE);
    refused(glMPI_Framebuffer(framebuffer, GL_COLOR_ATTACHMENT0), PIXMPI_ERR_SURFACE);
    CHECK_FAILS(glMPI_Send(glMPI_Renderbuffer(renderbuffer), PIXMPI_WHOLE, rank, 1, world()), PIXMPI_ERR_SURFACE,
                "resolve");
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteRenderbuffers(1, &renderbuffer);
    glDeleteTextures(1, &texture);
}

// All layers at once: which one is meant is for the program to say.
RANK_CASE(gl_errors, layered, 1) {
    Good good;
    constexpr GLenum targets[] = {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_ARRAY,
                                  GL_TEXTURE_1D_ARRAY};
    struct {
        GLenum point, internal;
        std::vector<GLenum> named;
    } const points[] = {{GL_COLOR_ATTACHMENT1, GL_RGBA8, {GL_COLOR_ATTACHMENT1}},
                        {GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT32F, {GL_DEPTH_ATTACHMENT}},
                        {GL_DEPTH_STENCIL_ATTACHMENT,
                         GL_DEPTH24_STENCIL8,
                         {GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT, GL_DEPTH_STENCIL_ATTACHMENT}}};
    for (const GLenum target : targets)
        for (const auto &[point, internal, named] : points) {
            if (target == GL_TEXTURE_3D && internal != GL_RGBA8)
                continue;
            note("target 0x%04x, attachment 0x%04x", target, point);
            GLuint texture = 0, framebuffer = 0;
            glGenTextures(1, &texture);
            glBindTexture(target, texture);
            if (target == GL_TEXTURE_CUBE_MAP || target == GL_TEXTURE_1D_ARRAY)
                glTexStorage2D(target, 1, internal, 16, 16);
            else
                glTexStorage3D(target, 1, internal, 16, 16, 12);
            glBindTexture(target, 0);
            glGenFramebuffers(1, &framebuffer);
            glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
            glDrawBuffer(GL_NONE);
            glReadBuffer(GL_NONE);
            glFramebufferTexture(GL_FRAMEBUFFER, point, texture, 0);
            NEED(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
            glBindFramebuffer(GL_FRAMEBUFFER, 0);
            for (const GLenum one : named) {
                refused(glMPI_Framebuffer(framebuffer, one), PIXMPI_ERR_SURFACE);
                CHECK_FAILS(glMPI_Send(glMPI_Framebuffer(framebuffer, one), PIXMPI_WHOLE, rank, 1, world()),
                            PIXMPI_ERR_SURFACE, "layers glMPI_Texture");
            }
            glDeleteFramebuffers(1, &framebuffer);
            glDeleteTextures(1, &texture);
        }
}

RANK_CASE(gl_errors, buffers, 1) {
    Good good;
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    glBufferData(GL_COPY_WRITE_BUFFER, 1000, nullptr, GL_STATIC_DRAW);
    const auto with = [&](auto change) {
        pixMPI_Surface s = glMPI_Buffer(name, PIXMPI_RGBA8, 10, 25);
        change(s);
        return s;
    };
    note("past its end");
    refused(glMPI_Buffer(name, PIXMPI_RGBA8, 10, 26), PIXMPI_ERR_SURFACE);
    refused(with([](auto &s) { s.offset = 1; }), PIXMPI_ERR_SURFACE);
    refused(with([](auto &s) { s.row_bytes = 44; }), PIXMPI_ERR_SURFACE);
    refused(with([](auto &s) { s.offset = -40; }), PIXMPI_ERR_SURFACE);
    note("rows that overlap, sizes that are none");
    refused(with([](auto &s) { s.row_bytes = 36; }), PIXMPI_ERR_SURFACE);
    refused(with([](auto &s) { s.width = -1; }), PIXMPI_ERR_SURFACE);
    refused(with([](auto &s) { s.format = PIXMPI_FORMAT_NONE; }), PIXMPI_ERR_FORMAT);
    refused(with([](auto &s) { s.format = PIXMPI_FORMAT_END; }), PIXMPI_ERR_FORMAT);
    note("mapped by the program");
    NEED(glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, 1000, GL_MAP_READ_BIT) != nullptr);
    refused(glMPI_Buffer(name, PIXMPI_RGBA8, 10, 25), PIXMPI_ERR_SURFACE);
    glUnmapBuffer(GL_COPY_WRITE_BUFFER);
    glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    glDeleteBuffers(1, &name);
}

RANK_CASE(gl_errors, formats, 1) {
    Good good;
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32UI, 16, 16, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, nullptr);
    glBindTexture(GL_TEXTURE_2D, 0);
    note("integers as floats, a format that does not exist, colour as depth");
    refused(glMPI_As(glMPI_Texture2D(texture), PIXMPI_RGBA8), PIXMPI_ERR_FORMAT);
    refused(glMPI_As(glMPI_Texture2D(texture), PIXMPI_FORMAT_END), PIXMPI_ERR_FORMAT);
    refused(glMPI_As(glMPI_Texture2D(texture), PIXMPI_DEPTH32F), PIXMPI_ERR_FORMAT);
    glDeleteTextures(1, &texture);
}

RANK_CASE(gl_errors, contexts, 1) {
    demo::Headless &context = need_context();
    std::string error;
    Good good;
    const auto texture = end_kinds()[2].make(PIXMPI_RGBA8, 300, 300), in = end_kinds()[2].make(PIXMPI_RGBA8, 300, 300);
    const Bytes sent = texture->fill(5);
    pixMPI_Request requests[2];
    CHECK_OK(in->irecv(PIXMPI_WHOLE, previous_rank(), 1, &requests[0]));

    note("none current");
    context.release_current();
    refused(glMPI_Texture2D(1), PIXMPI_ERR_CONTEXT, "context");
    CHECK_FAILS(pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE), PIXMPI_ERR_CONTEXT, "pixMPI_Wait context");
    CHECK(requests[0] != PIXMPI_REQUEST_NULL);

    note("another one current");
    {
        const auto other = demo::Headless::make(context_options(), error);
        NEED(other != nullptr);
        CHECK_FAILS(pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE), PIXMPI_ERR_CONTEXT, "pixMPI_Wait context");
        CHECK(requests[0] != PIXMPI_REQUEST_NULL);
        CHECK_OK(glMPI_Context_release());
        other->release_current();
    }
    note("the request's own again");
    NEED(context.make_current());
    CHECK_FAILS(glMPI_Context_release(), PIXMPI_ERR_REQUEST, "glMPI_Context_release");
    barrier(); // no rank has sent yet
    CHECK_OK(texture->isend(PIXMPI_WHOLE, next_rank(), 1, &requests[1]));
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_PIXELS(in->read(), sent, 300, 4);

    note("released, and used again, by ways that there are not at first");
    CHECK_OK(glMPI_Context_release());
    for (const char *setting : {"PIXMPI_GL_PATH=pointer", "PIXMPI_GL_PACK=cpu"}) {
        const Setting wrong(setting);
        refused(glMPI_Texture2D(1), PIXMPI_ERR_ARGUMENT, wrong.name().c_str());
    }
    CHECK_OK(texture->sendrecv(PIXMPI_WHOLE, next_rank(), 1, *in, PIXMPI_WHOLE, previous_rank(), 1, MPI_STATUS_IGNORE));
    CHECK_PIXELS(in->read(), sent, 300, 4);
}

RANK_CASE(gl_errors, errors_of_the_program_stay, 1) {
    Good good;
    glDisable(GL_DEBUG_OUTPUT);
    glBindTexture(GL_RGBA, 0);
    glEnable(GL_DEBUG_OUTPUT);
    MPI_Status status;
    CHECK_OK(good.texture->sendrecv_replace(PIXMPI_WHOLE, rank, 1, rank, 1, &status));
    CHECK_EQ(glGetError(), static_cast<GLenum>(GL_INVALID_ENUM));
}

RANK_CASE(gl_errors, regions_outside, 1) {
    Good good;
    for (const Shape &outside : {rectangle(0, 0, edge + 1, 1), rectangle(0, 0, 1, edge + 1), rectangle(-1, 0, 1, 1)}) {
        CHECK_FAILS(good.texture->send(outside, rank, 1), PIXMPI_ERR_REGION, "glMPI_Send region expected");
        CHECK_FAILS(good.texture->recv(outside, rank, 1, MPI_STATUS_IGNORE), PIXMPI_ERR_REGION,
                    "glMPI_Recv region expected");
    }
    CHECK_FAILS(good.texture->send(PIXMPI_REGION_NULL, rank, 1), PIXMPI_ERR_REGION, "glMPI_Send region expected");
    CHECK_FAILS(good.texture->send(PIXMPI_WHOLE, size, 1), PIXMPI_ERR_RANK, "glMPI_Send dest expected");
    CHECK_FAILS(good.texture->recv(PIXMPI_WHOLE, rank, -5, MPI_STATUS_IGNORE), PIXMPI_ERR_TAG,
                "glMPI_Recv tag expected");
}
