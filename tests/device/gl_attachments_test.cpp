// Renderbuffers, and what is attached to framebuffers.
#include "gl_surfaces.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace gl_rig;
using device_suite::Bytes;

namespace {

class GlAttachments : public GlSurfaces {};

} // namespace

// Depths that share their pixels with stencils are converted as others are, and the stencils stay.
TEST_P(GlAttachments, conversions_of_depths_beside_stencils) {
    GLuint framebuffer = 0, storage = 0;
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(1, &storage);
    glBindRenderbuffer(GL_RENDERBUFFER, storage);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, 3, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, storage);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 0.25f, 77);
    const auto floats_of = [&](const pixMPI_Surface &named) {
        std::array<float, 3> floats{};
        const Bytes bytes = pack(glMPI_As(named, PIXMPI_DEPTH32F));
        EXPECT_EQ(bytes.size(), sizeof floats);
        std::memcpy(floats.data(), bytes.data(), std::min(bytes.size(), sizeof floats));
        return floats;
    };
    const pixMPI_Surface depths = glMPI_Framebuffer(framebuffer, GL_DEPTH_ATTACHMENT);
    for (const float depth : floats_of(depths))
        EXPECT_NEAR(depth, 0.25f, 1e-6f);
    const float written[3] = {0.5f, 0.0f, 1.0f};
    Bytes bytes(sizeof written);
    std::memcpy(bytes.data(), written, sizeof written);
    unpack(glMPI_As(depths, PIXMPI_DEPTH32F), bytes);
    const std::array<float, 3> arrived = floats_of(depths);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(arrived[i], written[i], 1e-6f);
    EXPECT_EQ(pack(glMPI_Framebuffer(framebuffer, GL_STENCIL_ATTACHMENT)), Bytes(3, std::byte{77}));
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteRenderbuffers(1, &storage);
}

// All of these are sent and received, as floats and as they are stored.
TEST_P(GlAttachments, every_format_of_depths) {
    for (const bool texture : {false, true})
        for (const GLenum internal :
             {GL_DEPTH_COMPONENT, GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT32,
              GL_DEPTH_COMPONENT32F, GL_DEPTH24_STENCIL8, GL_DEPTH32F_STENCIL8}) {
            GLuint framebuffer = 0, name = 0;
            glGenFramebuffers(1, &framebuffer);
            glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
            const bool stencil = internal == GL_DEPTH24_STENCIL8 || internal == GL_DEPTH32F_STENCIL8;
            const GLenum point = stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT;
            if (texture) {
                glGenTextures(1, &name);
                glBindTexture(GL_TEXTURE_2D, name);
                glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internal), 8, 4, 0,
                             stencil ? GL_DEPTH_STENCIL : GL_DEPTH_COMPONENT,
                             internal == GL_DEPTH24_STENCIL8    ? GL_UNSIGNED_INT_24_8
                             : internal == GL_DEPTH32F_STENCIL8 ? GL_FLOAT_32_UNSIGNED_INT_24_8_REV
                                                                : GL_FLOAT,
                             nullptr);
                glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
                glFramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_2D, name, 0);
            } else {
                glGenRenderbuffers(1, &name);
                glBindRenderbuffer(GL_RENDERBUFFER, name);
                glRenderbufferStorage(GL_RENDERBUFFER, internal, 8, 4);
                glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, name);
            }
            const pixMPI_Surface depths = glMPI_Framebuffer(framebuffer, GL_DEPTH_ATTACHMENT),
                                 as_floats = glMPI_As(depths, PIXMPI_DEPTH32F);
            std::array<float, 32> sent{}, arrived{};
            for (std::size_t i = 0; i < sent.size(); ++i)
                sent[i] = static_cast<float>(i) / static_cast<float>(sent.size() - 1);
            Bytes bytes(sizeof sent);
            std::memcpy(bytes.data(), sent.data(), sizeof sent);
            unpack(as_floats, bytes);
            unpack(depths, pack(depths));
            const Bytes back = pack(as_floats);
            ASSERT_EQ(back.size(), sizeof arrived) << std::hex << internal;
            std::memcpy(arrived.data(), back.data(), sizeof arrived);
            for (std::size_t i = 0; i < sent.size(); ++i)
                EXPECT_NEAR(arrived[i], sent[i], internal == GL_DEPTH_COMPONENT16 ? 1.6e-5 : 1e-6)
                    << std::hex << internal << (texture ? ", texture" : "");
            glDeleteFramebuffers(1, &framebuffer);
            if (texture)
                glDeleteTextures(1, &name);
            else
                glDeleteRenderbuffers(1, &name);
        }
}

TEST_P(GlAttachments, renderbuffers_and_attachments_that_are_refused) {
    GLuint renderbuffer = 0, framebuffer = 0;
    glGenRenderbuffers(1, &renderbuffer);
    EXPECT_EQ(refusal(glMPI_Renderbuffer(renderbuffer)), PIXMPI_ERR_SURFACE); // never bound
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    EXPECT_EQ(refusal(glMPI_Renderbuffer(renderbuffer)), PIXMPI_ERR_SURFACE); // no storage
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 16, 16);
    EXPECT_EQ(refusal(glMPI_Renderbuffer(renderbuffer)), PIXMPI_ERR_SURFACE);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    EXPECT_EQ(refusal(glMPI_Framebuffer(framebuffer, GL_COLOR_ATTACHMENT0)), PIXMPI_ERR_SURFACE); // nothing there
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
    EXPECT_EQ(refusal(glMPI_Framebuffer(framebuffer, GL_COLOR_ATTACHMENT0)), PIXMPI_ERR_SURFACE); // multisampled
    EXPECT_EQ(refusal(glMPI_Framebuffer(framebuffer, GL_BACK)), PIXMPI_ERR_SURFACE);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteRenderbuffers(1, &renderbuffer);
}

// Depth of one layer and stencil of another are no surface; and neither are several views.
TEST_P(GlAttachments, attachments_of_several_layers_are_refused) {
    GLuint name = 0, framebuffer = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D_ARRAY, name);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH24_STENCIL8, 8, 8, 2, 0, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8,
                 nullptr);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAX_LEVEL, 0);
    glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, name, 0, 1);
    const pixMPI_Surface both = glMPI_Framebuffer(framebuffer, GL_DEPTH_STENCIL_ATTACHMENT);
    const Bytes depths = some(8 * 8 * 4);
    unpack(both, depths);
    EXPECT_EQ(pack(both), depths);

    static glmpi::Gl driver;
    driver = device->gl;
    const glmpi::Features features = device->features;
    device->features.multiview = true;
    device->gl.GetFramebufferAttachmentParameteriv = [](GLenum target, GLenum point, GLenum what, GLint *value) {
        if (what == GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_NUM_VIEWS_OVR)
            *value = 2;
        else
            driver.GetFramebufferAttachmentParameteriv(target, point, what, value);
    };
    EXPECT_EQ(refusal(both), PIXMPI_ERR_SURFACE);
    device->gl.GetFramebufferAttachmentParameteriv = [](GLenum target, GLenum point, GLenum what, GLint *value) {
        driver.GetFramebufferAttachmentParameteriv(target, point, what, value);
        if (what == GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER && point == GL_STENCIL_ATTACHMENT)
            *value = 0; // drivers do not take such a framebuffer, most of them
    };
    device->features.multiview = false;
    EXPECT_EQ(refusal(both), PIXMPI_ERR_SURFACE);
    EXPECT_NE(resolved(*device, glMPI_Framebuffer(framebuffer, GL_DEPTH_ATTACHMENT)), nullptr);
    device->gl = driver;
    device->features = features;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &name);
}

// Their pixels are those of a format, but no copy of OpenGL's takes them for such.
TEST_P(GlAttachments, renderbuffers_of_unsized_formats) {
    for (const GLenum internal : {GL_RGBA, GL_DEPTH_STENCIL}) {
        GLuint renderbuffer = 0;
        glGenRenderbuffers(1, &renderbuffer);
        glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
        glRenderbufferStorage(GL_RENDERBUFFER, internal, 48, 48);
        glBindRenderbuffer(GL_RENDERBUFFER, 0);
        const pixMPI_Surface named = glMPI_Renderbuffer(renderbuffer);
        EXPECT_EQ(resolved(*device, named)->format, internal == GL_RGBA ? PIXMPI_RGBA8 : PIXMPI_DEPTH24_STENCIL8);
        const Bytes pixels = some(48 * 48 * 4);
        unpack(named, pixels);
        EXPECT_EQ(pack(named), pixels);
        std::vector<pixMPI_Rect> tiles;
        for (int i = 0; i < 16; ++i)
            tiles.push_back({i % 4 * 12, i / 4 * 12, 12, 12});
        Bytes tiled(pixels.size());
        move(Direction::pack, resolved(*device, named), device_suite::region_of(tiles), tiled);
        EXPECT_EQ(Bytes(tiled.begin(), tiled.begin() + 48), Bytes(pixels.begin(), pixels.begin() + 48));
        glDeleteRenderbuffers(1, &renderbuffer);
    }
}

// Some drivers remember the level of what was attached before.
TEST_P(GlAttachments, renderbuffers_after_smaller_levels) {
    using glmpi::Framebuffers;
    const GLuint name = texture(GL_RGBA8, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, some(8 * 8 * 4).data());
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, some(4 * 4 * 4).data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
    glBindTexture(GL_TEXTURE_2D, 0);
    for (const auto use : {Framebuffers::Use::read, Framebuffers::Use::draw}) {
        glmpi::SavedState state(*device);
        const std::uint64_t serial = Framebuffers::new_serial();
        device->framebuffers.bind(state, use, glmpi::Aspect::color, {GL_TEXTURE_2D, name, 1, 0}, serial);
        EXPECT_EQ(glCheckFramebufferStatus(use == Framebuffers::Use::read ? GL_READ_FRAMEBUFFER : GL_DRAW_FRAMEBUFFER),
                  static_cast<GLenum>(GL_FRAMEBUFFER_COMPLETE));
        device->framebuffers.release(state, serial);
    }
    GLuint renderbuffer = 0;
    glGenRenderbuffers(1, &renderbuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 16, 12);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    const Bytes colors = some(16 * 12 * 4);
    unpack(glMPI_Renderbuffer(renderbuffer), colors);
    EXPECT_EQ(pack(glMPI_Renderbuffer(renderbuffer)), colors);
    glDeleteRenderbuffers(1, &renderbuffer);
    glDeleteTextures(1, &name);
}

INSTANTIATE_TEST_SUITE_P(gl, GlAttachments, testing::ValuesIn(paths),
                         [](const auto &each) { return path_name(each.param); });
