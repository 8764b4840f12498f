// Whole surfaces of OpenGL, moved in one band each, on every path: what the tests of objects that only OpenGL has
// share.
#pragma once

#define GL_GLEXT_PROTOTYPES
#include "gl_rig_contexts.h"
#include "headless.h"
#include "suite.h"

#include <gtest/gtest.h>

namespace gl_rig {

using pixmpi::Direction;

class GlSurfaces : public testing::TestWithParam<Path> {
  protected:
    void SetUp() override {
        device = use(GetParam());
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    }
    void TearDown() override { EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }

    pixmpi::Status refusal(const pixMPI_Surface &named) {
        std::shared_ptr<glmpi::GlSurface> surface;
        const pixmpi::Status status = glmpi::resolve(*device, named, surface);
        EXPECT_EQ(surface, nullptr);
        return status;
    }

    // The whole surface, one way.
    void move(Direction direction, const std::shared_ptr<glmpi::GlSurface> &surface, device_suite::Bytes &pixels) {
        move(direction, surface, device_suite::region_of({{0, 0, surface->extent.width, surface->extent.height}}),
             pixels);
    }
    void move(Direction direction, const std::shared_ptr<glmpi::GlSurface> &surface,
              const std::shared_ptr<const pixmpi::Region> &region, device_suite::Bytes &pixels) {
        std::unique_ptr<pixmpi::Transfer> transfer;
        std::unique_ptr<pixmpi::Stage> stage;
        ASSERT_EQ(device->make_transfer(direction, surface, region, transfer), PIXMPI_SUCCESS);
        ASSERT_EQ(device->make_stage(pixmpi::StageKind::shared, pixels.data(), pixels.size(), stage), PIXMPI_SUCCESS);
        ASSERT_EQ(transfer->begin(region->pixels), PIXMPI_SUCCESS);
        pixmpi::Ticket ticket = pixmpi::done;
        ASSERT_EQ(transfer->copy(0, region->pixels, *stage, 0, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
        for (bool over = ticket == pixmpi::done; !over;)
            ASSERT_EQ(transfer->poll(ticket, over), PIXMPI_SUCCESS);
        ASSERT_EQ(transfer->end(), PIXMPI_SUCCESS);
    }
    device_suite::Bytes pack(const pixMPI_Surface &named) {
        const auto surface = resolved(*device, named);
        if (!surface)
            return {};
        device_suite::Bytes pixels(
            static_cast<std::size_t>(surface->extent.width * surface->extent.height * surface->pixel_bytes));
        move(Direction::pack, surface, pixels);
        return pixels;
    }
    void unpack(const pixMPI_Surface &named, device_suite::Bytes pixels) {
        if (const auto surface = resolved(*device, named))
            move(Direction::unpack, surface, pixels);
    }

    static device_suite::Bytes some(std::size_t count) {
        device_suite::Bytes bytes(count);
        for (std::size_t i = 0; i < count; ++i)
            bytes[i] = static_cast<std::byte>(i * 37 + 11);
        return bytes;
    }
    GLuint texture(GLenum internal, int width, int height, GLenum format, GLenum type, const void *pixels) {
        GLuint name = 0;
        glGenTextures(1, &name);
        specify(name, internal, width, height, format, type, pixels);
        return name;
    }
    static void specify(GLuint name, GLenum internal, int width, int height, GLenum format, GLenum type,
                        const void *pixels) {
        glBindTexture(GL_TEXTURE_2D, name);
        glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internal), width, height, 0, format, type, pixels);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        glBindTexture(GL_TEXTURE_2D, 0);
    }

    std::shared_ptr<glmpi::GlDevice> device;
};

} // namespace gl_rig
