// A few pixels, on a driver with its own memory. Those of a small texture are read and written by pointer, since that
// is over before a fence is. A row or a column of a large one goes through pixel buffers, since some drivers take
// microseconds for each pixel by pointer.
#define GL_GLEXT_PROTOTYPES
#include "gl_rig_contexts.h"
#include "headless.h"
#include "suite.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace gl_rig;
using pixmpi::Direction;

namespace {

int by_pointer = 0;
glmpi::Gl driver;

void count(GLenum binding) {
    GLint buffer = 0;
    glGetIntegerv(binding, &buffer);
    by_pointer += buffer == 0;
}

void read_pixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels) {
    count(GL_PIXEL_PACK_BUFFER_BINDING);
    driver.ReadPixels(x, y, width, height, format, type, pixels);
}
void get_texture(GLuint texture, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, GLsizei depth,
                 GLenum format, GLenum type, GLsizei bytes, void *pixels) {
    count(GL_PIXEL_PACK_BUFFER_BINDING);
    driver.GetTextureSubImage(texture, level, x, y, z, width, height, depth, format, type, bytes, pixels);
}
void texture_sub_image(GLuint texture, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
                       GLenum type, const void *pixels) {
    count(GL_PIXEL_UNPACK_BUFFER_BINDING);
    driver.TextureSubImage2D(texture, level, x, y, width, height, format, type, pixels);
}
void tex_sub_image(GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
                   GLenum type, const void *pixels) {
    count(GL_PIXEL_UNPACK_BUFFER_BINDING);
    driver.TexSubImage2D(target, level, x, y, width, height, format, type, pixels);
}

class GlLittle : public testing::TestWithParam<Direction> {
  protected:
    void SetUp() override {
        device = use(Path::pixel_buffers);
        driver = device->gl;
        device->gl.ReadPixels = read_pixels;
        device->gl.GetTextureSubImage = get_texture;
        device->gl.TextureSubImage2D = texture_sub_image;
        device->gl.TexSubImage2D = tex_sub_image;
        device->small_by_pointer = true;
    }
    void TearDown() override {
        device->gl = driver;
        device->small_by_pointer = false;
    }

    /// Moves a rectangle of a texture, and counts the calls that did it by pointer.
    int calls(int side, const pixMPI_Rect &rect) {
        GLuint name = 0;
        glGenTextures(1, &name);
        glBindTexture(GL_TEXTURE_2D, name);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        const auto region = device_suite::region_of({rect});
        std::vector<std::byte> pixels(region->pixels * 4);
        const auto surface = resolved(*device, glMPI_Texture2D(name));
        device->choices.get(PIXMPI_RGBA8, GetParam()); // which measures
        by_pointer = 0;
        std::unique_ptr<pixmpi::Transfer> transfer;
        std::unique_ptr<pixmpi::Stage> stage;
        EXPECT_EQ(device->make_transfer(GetParam(), surface, region, transfer), PIXMPI_SUCCESS);
        EXPECT_EQ(device->make_stage(pixmpi::StageKind::shared, pixels.data(), pixels.size(), stage), PIXMPI_SUCCESS);
        transfer->start();
        transfer->await();
        EXPECT_EQ(transfer->begin(region->pixels), PIXMPI_SUCCESS);
        pixmpi::Ticket ticket = pixmpi::done;
        EXPECT_EQ(transfer->copy(0, region->pixels, *stage, 0, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
        for (bool over = ticket == pixmpi::done; !over;)
            EXPECT_EQ(transfer->poll(ticket, over), PIXMPI_SUCCESS);
        EXPECT_EQ(transfer->end(), PIXMPI_SUCCESS);
        glDeleteTextures(1, &name);
        return by_pointer;
    }

    std::shared_ptr<glmpi::GlDevice> device;
};

/// Ways to read into pixel buffers that take about as long, but for the first calls of the plain one.
int plain_calls = 0;
bool into_a_buffer() {
    GLint buffer = 0;
    glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &buffer);
    return buffer != 0;
}
void take_us(int time) { std::this_thread::sleep_for(std::chrono::microseconds(time)); }
void read_slowly(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels) {
    if (into_a_buffer())
        take_us(2000);
    else
        driver.ReadPixels(x, y, width, height, format, type, pixels);
}
void get_late_at_first(GLuint texture, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height,
                       GLsizei depth, GLenum format, GLenum type, GLsizei bytes, void *pixels) {
    if (!into_a_buffer())
        driver.GetTextureSubImage(texture, level, x, y, z, width, height, depth, format, type, bytes, pixels);
    else if (type == GL_UNSIGNED_BYTE)
        take_us(plain_calls++ < 2 ? 9000 : 2000);
    else
        take_us(1800);
}

} // namespace

TEST_P(GlLittle, OfASmallTextureByPointer) {
    EXPECT_EQ(calls(64, {0, 0, 64, 64}), 1);
    EXPECT_EQ(calls(64, {3, 5, 40, 20}), 1);
}

TEST_P(GlLittle, OfALargeTextureThroughPixelBuffers) {
    EXPECT_EQ(calls(300, {1, 7, 297, 1}), 0) << "a row";
    EXPECT_EQ(calls(300, {299, 1, 1, 298}), 0) << "a column";
    EXPECT_EQ(calls(300, {30, 50, 64, 64}), 0);
}

TEST(GlFormatChoices, FirstCallsOfTheBestWayMayTakeLong) {
    const auto device = use(Path::pixel_buffers);
    driver = device->gl;
    plain_calls = 0;
    device->gl.ReadPixels = read_slowly;
    device->gl.GetTextureSubImage = get_late_at_first;
    const glmpi::FormatChoice choice = glmpi::FormatChoices(*device).get(PIXMPI_RGBA8, Direction::pack);
    device->gl = driver;
    EXPECT_EQ(choice.way, glmpi::Way::by_name);
    EXPECT_EQ(choice.types.type, static_cast<GLenum>(GL_UNSIGNED_BYTE));
}

INSTANTIATE_TEST_SUITE_P(gl, GlLittle, testing::Values(Direction::pack, Direction::unpack),
                         [](const auto &each) { return each.param == Direction::pack ? "pack" : "unpack"; });
