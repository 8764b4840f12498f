// Raster positions, polygon stipple, feedback and selection.

#include "gl_rig.h"

#include <GL/glu.h>

#include <array>

using namespace rig;

namespace {

const GLubyte glyph[8] = {0xff, 0x81, 0xbd, 0xa5, 0xa5, 0xbd, 0x81, 0xff};

/// Reaches from its position far to the right.
void text(int letters) {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (int i = 0; i < letters; ++i)
        glBitmap(8, 8, 0, 0, 10, 1, glyph);
}

std::array<GLubyte, 128> pattern(unsigned seed) {
    std::array<GLubyte, 128> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<GLubyte>((i * 37 + seed * 11) ^ (i >> 2));
    return bytes;
}

/// A scene with something of everything, for feedback and selection.
void things() {
    glLoadName(1);
    glPassThrough(42);
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0, 0);
    glVertex2i(20, 20);
    glVertex2i(180, 30);
    glColor3f(0, 0, 1);
    glVertex2i(90, 160); // cut off by the window's upper edge
    glEnd();
    glLoadName(2);
    glBegin(GL_LINE_STRIP);
    glVertex2i(-20, 75);
    glVertex2i(100, 80);
    glVertex2i(220, 75);
    glEnd();
    glLoadName(3);
    glBegin(GL_POINTS);
    glVertex2i(150, 100);
    glVertex2i(350, 100);
    glEnd();
    glLoadName(4);
    glRasterPos2i(130, 40);
    text(1);
    const GLubyte pixel[4] = {255, 255, 0, 255};
    glDrawPixels(1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
}

void feedback(Told &told, GLenum type, int size) {
    std::vector<GLfloat> buffer(400, -1.0f);
    glFeedbackBuffer(size, type, buffer.data());
    glRenderMode(GL_FEEDBACK);
    append(told, integers(GL_RENDER_MODE, 1));
    glInitNames();
    glPushName(0);
    things();
    append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
    const GLint count = glRenderMode(GL_RENDER);
    told.push_back(count);
    told.insert(told.end(), buffer.begin(), buffer.begin() + (count < 0 ? size : count));
}

} // namespace

TEST(GlRaster, PositionsOnAnyTile) {
    expect_same([](Told &told) {
        backdrop();
        glColor3f(1, 1, 1);
        glRasterPos2i(5, 70);
        append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
        text(18);
        append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
        const GLdouble v[] = {20, 20, 0.5};
        glRasterPos3dv(v);
        text(17);
        append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
        glRasterPos4s(100, 200, 0, 2);
        text(3);
        glRasterPos2f(-10, 50); // outside the window: no text anywhere
        append(told, integers(GL_CURRENT_RASTER_POSITION_VALID, 1));
        text(9);
        glViewport(60, 40, 80, 60);
        glRasterPos2f(10.5f, 100.5f);
        text(12);
        append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
    });
}

TEST(GlRaster, TheFirstPositionIsTheWindowsCorner) {
    expect_same([](Told &told) {
        append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
        glPixelZoom(160, 120);
        const GLubyte pixel[4] = {255, 255, 0, 255};
        glDrawPixels(1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    });
}

TEST(GlRaster, PixelsAtHalfPositionsAreRoundedAlike) {
    std::vector<GLubyte> picture(120 * 8 * 3);
    for (std::size_t i = 0; i < picture.size(); ++i)
        picture[i] = static_cast<GLubyte>(i % 3 == 1 ? i * 7 : i / 3 % 2 * 255);
    expect_same([&](Told &told) {
        backdrop();
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        const auto draw = [&] { glDrawPixels(120, 8, GL_RGB, GL_UNSIGNED_BYTE, picture.data()); };
        for (const GLfloat x : {20.5f, 31.5f, -7.5f}) {
            glWindowPos2f(0, x + 20.5f);
            glBitmap(0, 0, 0, 0, x, 0, nullptr);
            draw();
            append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
        }
        glNewList(1, GL_COMPILE);
        draw();
        glEndList();
        glWindowPos2f(45.5f, 70.5f);
        glPixelZoom(1, 2);
        glCallList(1);
        glPixelZoom(1, 1);
        append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
        glLoadIdentity(); // the middle of a window of odd height
        glViewport(0, 0, 200, 149);
        glRasterPos2f(-0.5f, 0);
        draw();
    });
}

TEST(GlRaster, WindowPositionsInEverySpelling) {
    expect_same([](Told &told) {
        backdrop();
        int row = 0;
        const auto mark = [&] {
            text(2);
            append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
            row += 9;
        };
        const GLshort s[] = {91, 3, 0};
        const GLint i[] = {92, 12, 0};
        const GLfloat f[] = {93.5f, 21, 0.25f};
        const GLdouble d[] = {94, 30, 0.5};
        glWindowPos2sv(s), mark();
        glWindowPos3iv(i), mark();
        glWindowPos3fv(f), mark();
        glWindowPos3dv(d), mark();
        glWindowPos2s(90, 39), mark();
        glWindowPos2i(91, 48), mark();
        glWindowPos2f(92.5f, 57), mark();
        glWindowPos2d(93.5, 66), mark();
        glWindowPos3s(94, 75, 0), mark();
        glWindowPos3i(95, 84, 1), mark();
        glWindowPos3f(96, 93, 0.5f), mark();
        glWindowPos3d(97, 102, 0.5), mark();
        glWindowPos2iARB(98, 111), mark();
        glWindowPos3dvARB(std::array{99.0, 120.0, 0.0}.data()), mark();
        glWindowPos2iMESA(100, 129), mark();
    });
}

TEST(GlRaster, ColourAndTextureCoordinatesSurviveAFramebuffer) {
    expect_same([](Told &told) {
        backdrop();
        GLuint object = 0;
        glGenFramebuffers(1, &object);
        glColor3f(1, 0.5f, 0);
        glTexCoord2f(0.25f, 0.75f);
        glRasterPos2i(90, 70);
        glColor3f(0, 0, 1);
        glBindFramebuffer(GL_FRAMEBUFFER, object);
        append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
        append(told, floats(GL_CURRENT_RASTER_COLOR, 4));
        append(told, floats(GL_CURRENT_RASTER_TEXTURE_COORDS, 4));
        text(3);
    });
}

TEST(GlStipple, KeepsItsPhaseInTheWindow) {
    expect_same([](Told &told) {
        backdrop();
        glEnable(GL_POLYGON_STIPPLE);
        glPolygonStipple(pattern(1).data());
        glColor3f(1, 1, 1);
        box(5, 5, 190, 60);
        glPushAttrib(GL_POLYGON_STIPPLE_BIT);
        glPolygonStipple(pattern(2).data());
        std::array<GLubyte, 128> read{};
        glGetPolygonStipple(read.data());
        told.insert(told.end(), read.begin(), read.end());
        glColor3f(1, 0, 0);
        box(5, 60, 190, 40);
        glPopAttrib();
        glColor3f(0, 1, 0);
        box(5, 100, 190, 40);
        glGetPolygonStipple(read.data());
        told.insert(told.end(), read.begin(), read.end());
    });
}

TEST(GlStipple, ReadsPatternsFromAnywhere) {
    expect_same([](Told &told) {
        backdrop();
        glEnable(GL_POLYGON_STIPPLE);
        glPixelStorei(GL_UNPACK_LSB_FIRST, 1);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 70);
        glPixelStorei(GL_UNPACK_SKIP_ROWS, 3);
        glPixelStorei(GL_UNPACK_SKIP_PIXELS, 8); // Mesa writes past its buffer for an odd number
        glPixelStorei(GL_UNPACK_ALIGNMENT, 8);
        std::vector<GLubyte> bytes(16 * 40);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<GLubyte>(i * 29);
        glPolygonStipple(bytes.data());
        append(told, integers(GL_UNPACK_ROW_LENGTH, 1));
        box(5, 5, 190, 60);
        GLuint buffer = 0;
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
        glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(bytes.size()), bytes.data(), GL_STATIC_DRAW);
        glPixelStorei(GL_UNPACK_SKIP_ROWS, 1);
        glPolygonStipple(nullptr);
        append(told, integers(GL_PIXEL_UNPACK_BUFFER_BINDING, 1));
        box(5, 70, 190, 60);
        glPixelStorei(GL_PACK_LSB_FIRST, 1);
        std::array<GLubyte, 128> read{};
        glGetPolygonStipple(read.data());
        told.insert(told.end(), read.begin(), read.end());
        glPixelStorei(GL_UNPACK_SKIP_ROWS, 30); // beyond the buffer's end: an error, and the pattern stays
        glPolygonStipple(nullptr);
        told.push_back(glGetError());
        glGetPolygonStipple(read.data());
        told.insert(told.end(), read.begin(), read.end());
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        glPixelStorei(GL_PACK_LSB_FIRST, 0);
    });
}

TEST(GlStipple, InLists) {
    expect_same([](Told &told) {
        backdrop();
        glPolygonStipple(pattern(3).data());
        glNewList(1, GL_COMPILE);
        glEnable(GL_POLYGON_STIPPLE);
        box(5, 5, 190, 50);
        auto bytes = pattern(4);
        glPolygonStipple(bytes.data());
        bytes.fill(0); // the list has its own copy
        box(5, 60, 190, 50);
        std::array<GLubyte, 128> read{};
        glGetPolygonStipple(read.data());
        told.insert(told.end(), read.begin(), read.end());
        glDisable(GL_POLYGON_STIPPLE);
        glEndList();
        glCallList(1);
        glGetPolygonStipple(read.data());
        told.insert(told.end(), read.begin(), read.end());
    });
}

TEST(GlFeedback, ReturnsTheWindowsCoordinates) {
    expect_same([](Told &told) {
        backdrop();
        for (const GLenum type : {GL_2D, GL_3D, GL_3D_COLOR, GL_3D_COLOR_TEXTURE, GL_4D_COLOR_TEXTURE})
            feedback(told, type, 400);
        feedback(told, GL_3D_COLOR, 50); // does not fit
        glViewport(0, 0, width, height);
        glColor3f(1, 1, 1);
        text(2); // where feedback left the raster position
    });
}

TEST(GlFeedback, RefusedModesChangeNothing) {
    expect_same([](Told &told) {
        backdrop();
        glRenderMode(GL_FEEDBACK); // without a buffer
        told.push_back(glGetError());
        append(told, integers(GL_RENDER_MODE, 1));
        glRenderMode(GL_LINE);
        told.push_back(glGetError());
        glRasterPos2i(90, 70);
        text(3);
    });
}

TEST(GlSelection, PicksInTheWindow) {
    expect_same([](Told &told) {
        for (const auto &[x, y] : {std::array{100, 60}, {150, 100}, {20, 76}, {195, 5}, {131, 41}}) {
            std::array<GLuint, 64> names{};
            glSelectBuffer(static_cast<GLsizei>(names.size()), names.data());
            glRenderMode(GL_SELECT);
            glInitNames();
            glPushName(0);
            std::array<GLint, 4> viewport{};
            glGetIntegerv(GL_VIEWPORT, viewport.data());
            glMatrixMode(GL_PROJECTION);
            glLoadIdentity();
            gluPickMatrix(x, y, 5, 5, viewport.data());
            glOrtho(0, width, 0, height, -1, 1);
            glMatrixMode(GL_MODELVIEW);
            glLoadIdentity();
            things();
            const GLint hits = glRenderMode(GL_RENDER);
            told.push_back(hits);
            for (GLint i = 0; i < hits; ++i)
                told.push_back(names[4 * i + 3]);
        }
        backdrop(); // draws as usual afterwards
    });
}
