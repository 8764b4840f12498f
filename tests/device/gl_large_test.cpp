// Rows and rectangles of more bytes than an int counts. Nothing is as large here: OpenGL's own functions are replaced
// by such as note what they are asked for.
#define GL_GLEXT_PROTOTYPES
#include "gl_rig_contexts.h"
#include "suite.h"
#include "surface/buffer_surface.h"
#include "surface/texture_surface.h"
#include "transfer/transfer_direct.h"

#include <gtest/gtest.h>

using namespace gl_rig;
using pixmpi::Direction;

namespace {

struct Asked {
    std::int64_t surface, pixels, bytes;
    bool operator==(const Asked &) const = default;
};
std::vector<Asked> asked;
std::byte *const memory = reinterpret_cast<std::byte *>(std::uintptr_t{1} << 20);
std::int64_t behind(const void *pixels) { return static_cast<const std::byte *>(pixels) - memory; }

void get_buffer(GLenum, GLintptr offset, GLsizeiptr bytes, void *pixels) {
    asked.push_back({offset, behind(pixels), bytes});
}
void put_buffer(GLenum, GLintptr, GLsizeiptr, const void *) {}
void copy_buffer(GLenum, GLenum, GLintptr from, GLintptr to, GLsizeiptr bytes) { asked.push_back({from, to, bytes}); }
void get_texture(GLuint, GLint, GLint, GLint y, GLint, GLsizei, GLsizei height, GLsizei, GLenum, GLenum, GLsizei bytes,
                 void *pixels) {
    asked.push_back({y, behind(pixels), bytes});
    asked.push_back({y + height, 0, 0});
}

constexpr int width = 1 << 28; // of 16 bytes
constexpr std::int64_t row = std::int64_t{1} << 32;

class GlLarge : public testing::Test {
  protected:
    void SetUp() override {
        device = use(Path::direct);
        driver = device->gl;
        device->gl.GetBufferSubData = get_buffer;
        device->gl.BufferSubData = put_buffer;
        device->gl.CopyBufferSubData = copy_buffer;
        device->gl.GetTextureSubImage = get_texture;
        glGenBuffers(2, buffers);
        asked.clear();
    }
    void TearDown() override {
        device->gl = driver;
        glDeleteBuffers(2, buffers);
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }
    std::shared_ptr<glmpi::BufferSurface> buffer(int height) {
        const glmpi::BufferSurface::Place place{buffers[0], 16, row, false, false};
        return std::make_shared<glmpi::BufferSurface>(*device, pixmpi::Extent{width, height}, PIXMPI_RGBA32F, place);
    }

    std::shared_ptr<glmpi::GlDevice> device;
    glmpi::Gl driver;
    GLuint buffers[2] = {};
};

} // namespace

TEST_F(GlLarge, RowsOfBuffersAreRead) {
    glmpi::SavedState state(*device);
    const auto surface = buffer(2);
    ASSERT_EQ(surface->open(state, Direction::pack, 0), PIXMPI_SUCCESS);
    surface->read({0, 0, width, 2}, memory);
    EXPECT_EQ(asked, (std::vector<Asked>{{16, 0, row}, {16 + row, row, row}}));
    surface->close();
}

TEST_F(GlLarge, RowsOfBuffersAreCopied) {
    glmpi::SavedState state(*device);
    const auto surface = buffer(2);
    ASSERT_EQ(surface->open(state, Direction::pack, buffers[1]), PIXMPI_SUCCESS);
    surface->read({0, 0, width, 2}, nullptr);
    EXPECT_EQ(asked, (std::vector<Asked>{{16, 0, 2 * row}}));
    surface->close();
}

TEST_F(GlLarge, RowsOfBuffersAreWritten) {
    glmpi::SavedState state(*device);
    const auto surface = buffer(2);
    ASSERT_EQ(surface->open(state, Direction::unpack, 0), PIXMPI_SUCCESS);
    surface->write({0, 0, width, 2}, memory);
    std::int64_t bytes = 0;
    for (const Asked &one : asked) {
        ASSERT_EQ(one.pixels, 16 + bytes);
        bytes += one.bytes;
    }
    EXPECT_EQ(bytes, 2 * row);
    surface->close();
}

TEST_F(GlLarge, RowsAreNotTakenForNarrowOnes) {
    const auto region = device_suite::region_of({{0, 0, width, 512}});
    EXPECT_EQ(glmpi::DirectTransfer(Direction::pack, buffer(512), region).band_pixels(), 0u);
}

/// OpenGL is told the bytes of a read in an int.
TEST_F(GlLarge, RectanglesOfTexturesAreReadInParts) {
    constexpr int side = 1 << 14;
    glmpi::TextureSurface surface(*device, {side, side}, PIXMPI_RGBA16F, PIXMPI_RGBA32F, {GL_TEXTURE_2D, 1, 0, 0});
    ASSERT_TRUE(device->features.direct_state);
    surface.read({0, 0, side, side}, memory);
    int rows = 0;
    ASSERT_GE(asked.size(), 2u);
    for (std::size_t i = 0; i < asked.size(); i += 2) {
        const std::int64_t height = asked[i + 1].surface - asked[i].surface;
        EXPECT_EQ(asked[i].surface, rows);
        EXPECT_EQ(asked[i].pixels, rows * std::int64_t{side} * 16);
        EXPECT_EQ(asked[i].bytes, height * side * 16);
        rows += static_cast<int>(height);
    }
    EXPECT_EQ(rows, side);
}
