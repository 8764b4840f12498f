// Viewports, scissors, their queries and stacks, and what of them switches with the framebuffer.

#include "gl_rig.h"

#include "sync/digest.h"

#include <array>

using namespace rig;

namespace {

/// A triangle over all of clip space, so that the viewport is what shows.
void whole_triangle() {
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0, 0);
    glVertex2f(-1, -1);
    glColor3f(0, 1, 0);
    glVertex2f(1, -1);
    glColor3f(0, 0, 1);
    glVertex2f(0, 1);
    glEnd();
}

GLuint framebuffer(int w, int h) {
    GLuint texture = 0, name = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, w, h, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    return name;
}

/// Draws the bound texture over the whole viewport.
void textured() {
    glEnable(GL_TEXTURE_2D);
    glColor3f(1, 1, 1);
    glBegin(GL_QUADS);
    for (const auto &[x, y] : {std::array{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
        glTexCoord2i(x, y);
        glVertex2i(x ? width : 0, y ? height : 0);
    }
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

} // namespace

TEST(GlViewport, IsTheWholeWindowBeforeTheProgramSaysAnything) {
    expect_same([](Told &told) {
        append(told, integers(GL_VIEWPORT, 4));
        append(told, integers(GL_SCISSOR_BOX, 4));
        backdrop();
        whole_triangle();
    });
}

TEST(GlViewport, ShiftsAnyRectangle) {
    expect_same([](Told &told) {
        glClearColor(0.2f, 0.3f, 0.4f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        for (const auto &v : {std::array{10, 20, 50, 60}, {90, 60, 40, 40}, {-30, -20, 80, 50}, {150, 100, 300, 200}}) {
            glViewport(v[0], v[1], v[2], v[3]);
            append(told, integers(GL_VIEWPORT, 4));
            append(told, floats(GL_VIEWPORT, 4));
            whole_triangle();
        }
    });
}

TEST(GlViewport, WidePointsAndLinesCrossTheSeams) {
    expect_same([](Told &) {
        backdrop();
        glColor3f(1, 1, 0);
        glPointSize(15);
        glBegin(GL_POINTS);
        for (const auto &[x, y] : {std::array{97, 70}, {103, 80}, {40, 75}, {33, 30}})
            glVertex2f(static_cast<float>(x), static_cast<float>(y));
        glEnd();
        glLineWidth(7);
        glBegin(GL_LINES);
        glVertex2i(3, 76);
        glVertex2i(190, 73);
        glVertex2i(98, 3);
        glVertex2i(102, 140);
        glEnd();
    });
}

TEST(GlViewport, EveryQueryAnswersForTheWindow) {
    expect_same([](Told &told) {
        glViewport(11, 12, 113, 64);
        glScissor(21, 22, 123, 24);
        for (const GLenum name : {GL_VIEWPORT, GL_SCISSOR_BOX}) {
            std::array<GLint, 4> i{};
            std::array<GLint64, 4> l{};
            std::array<GLfloat, 4> f{};
            std::array<GLdouble, 4> d{};
            std::array<GLboolean, 4> b{};
            glGetIntegerv(name, i.data());
            glGetInteger64v(name, l.data());
            glGetFloatv(name, f.data());
            glGetDoublev(name, d.data());
            glGetBooleanv(name, b.data());
            told.insert(told.end(), i.begin(), i.end());
            told.insert(told.end(), l.begin(), l.end());
            told.insert(told.end(), f.begin(), f.end());
            told.insert(told.end(), d.begin(), d.end());
            told.insert(told.end(), b.begin(), b.end());
            glGetIntegeri_v(name, 3, i.data());
            glGetFloati_v(name, 3, f.data());
            glGetDoublei_v(name, 3, d.data());
            told.insert(told.end(), i.begin(), i.end());
            told.insert(told.end(), f.begin(), f.end());
            told.insert(told.end(), d.begin(), d.end());
        }
        append(told, integers(GL_MATRIX_MODE, 1));
    });
}

TEST(GlViewport, LargestViewportIsAtLeastTheWindow) {
    const Tile tile(part(100, 75, 100, 75));
    const Told most = integers(GL_MAX_VIEWPORT_DIMS, 2);
    EXPECT_GE(most[0], width);
    EXPECT_GE(most[1], height);
    glViewport(0, 0, 1 << 20, 1 << 20);
    EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{0, 0, most[0], most[1]}));
}

TEST(GlViewport, RefusedCallsChangeNothing) {
    const Tile tile(part(100, 75, 100, 75));
    glViewport(1, 2, 3, 4);
    glViewport(0, 0, -1, 5);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_INVALID_VALUE));
    EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{1, 2, 3, 4}));
    glScissor(1, 2, 3, 4);
    glScissor(0, 0, 5, -1);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_INVALID_VALUE));
    EXPECT_EQ(integers(GL_SCISSOR_BOX, 4), (Told{1, 2, 3, 4}));
    glViewportIndexedf(99, 0, 0, 1, 1);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_INVALID_VALUE));
}

TEST(GlViewport, ScissorCutsClears) {
    expect_same([](Told &told) {
        backdrop();
        glEnable(GL_SCISSOR_TEST);
        for (const auto &v : {std::array{10, 20, 50, 60}, {90, 60, 40, 40}, {-30, -20, 80, 50}, {120, 100, 300, 200},
                              {0, 0, 2147483647, 3}}) {
            glScissor(v[0], v[1], v[2], v[3]);
            append(told, integers(GL_SCISSOR_BOX, 4));
            glClearColor(static_cast<float>(v[0] & 7) / 8, 0.5f, 0.25f, 1);
            glClear(GL_COLOR_BUFFER_BIT);
        }
        glDisable(GL_SCISSOR_TEST);
    });
}

TEST(GlViewport, IndexedRectangles) {
    expect_same([](Told &told) {
        backdrop();
        const GLfloat viewports[] = {10.5f, 20.25f, 50, 60, 90, 60, 40, 40.5f};
        glViewportArrayv(0, 2, viewports);
        glViewportIndexedf(2, 5.5f, 6.5f, 7.5f, 8.5f);
        const GLint boxes[] = {60, 10, 90, 130, 1, 2, 3, 4};
        glScissorArrayv(0, 2, boxes);
        glScissorIndexed(1, 5, 6, 7, 8);
        const GLint third[] = {9, 10, 11, 12};
        glScissorIndexedv(2, third);
        for (GLuint i = 0; i < 4; ++i) {
            std::array<GLfloat, 4> v{};
            std::array<GLint, 4> s{}, rounded{};
            glGetFloati_v(GL_VIEWPORT, i, v.data());
            glGetIntegeri_v(GL_SCISSOR_BOX, i, s.data());
            glGetIntegeri_v(GL_VIEWPORT, i, rounded.data());
            told.insert(told.end(), v.begin(), v.end());
            told.insert(told.end(), s.begin(), s.end());
        }
        glEnable(GL_SCISSOR_TEST);
        whole_triangle();
        glDisable(GL_SCISSOR_TEST);
        glViewport(0, 0, width, height); // all of them again
        std::array<GLfloat, 4> v{};
        glGetFloati_v(GL_VIEWPORT, 7, v.data());
        told.insert(told.end(), v.begin(), v.end());
    });
}

TEST(GlViewport, FramebufferObjectsAreLeftAlone) {
    expect_same([](Told &told) {
        const GLuint object = framebuffer(61, 47);
        append(told, integers(GL_VIEWPORT, 4));
        glViewport(0, 0, 61, 47);
        glScissor(8, 8, 40, 30);
        glClearColor(0, 0, 0.5f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glEnable(GL_SCISSOR_TEST);
        backdrop(3);
        glDisable(GL_SCISSOR_TEST);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        append(told, integers(GL_VIEWPORT, 4)); // the object's, as in plain GL
        append(told, integers(GL_SCISSOR_BOX, 4));
        whole_triangle();
        glViewport(0, 0, width, height);
        in_pixels();
        textured();
        // Only the read binding changes: the viewport is the window's all the time.
        glBindFramebuffer(GL_READ_FRAMEBUFFER, object);
        glColor3f(1, 1, 1);
        box(95, 70, 12, 12);
        glBindFramebufferEXT(GL_FRAMEBUFFER_EXT, object);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        glColor3f(0, 1, 1);
        box(120, 70, 12, 12);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, object);
        glDeleteFramebuffers(1, &object); // back to the window
        glColor3f(1, 0, 1);
        box(60, 60, 80, 12);
    });
}

TEST(GlViewport, PopsUnderAnotherFramebufferThanPushed) {
    expect_same([](Told &told) {
        glPushAttrib(GL_CURRENT_BIT);
        glPushAttrib(GL_VIEWPORT_BIT | GL_SCISSOR_BIT);
        const GLuint object = framebuffer(61, 47);
        glViewport(0, 0, 61, 47);
        glScissor(0, 0, 61, 47);
        glPushAttrib(GL_ALL_ATTRIB_BITS);
        glViewport(4, 4, 30, 30);
        backdrop(5);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glPopAttrib();
        append(told, integers(GL_VIEWPORT, 4));
        append(told, integers(GL_SCISSOR_BOX, 4));
        backdrop(6);
        glPopAttrib();
        glPopAttrib();
        append(told, integers(GL_VIEWPORT, 4));
        append(told, integers(GL_SCISSOR_BOX, 4));
        in_pixels();
        textured();
        glDeleteFramebuffers(1, &object);
        append(told, integers(GL_ATTRIB_STACK_DEPTH, 1));
    });
}

TEST(GlViewport, AttribStackOverflowAndUnderflow) {
    expect_same([](Told &told) {
        for (int i = 0; i < 20; ++i) {
            glViewport(i, 0, 100, 100);
            glPushAttrib(i % 3 ? GL_VIEWPORT_BIT : GL_CURRENT_BIT);
        }
        told.push_back(glGetError());
        for (int i = 0; i < 20; ++i) {
            glPopAttrib();
            append(told, integers(GL_VIEWPORT, 4));
        }
        told.push_back(glGetError());
    });
}

TEST(GlViewport, FollowsAPartThatMoves) {
    const Canvas plain(width, height);
    plain.make_current();
    const auto scene = [] {
        backdrop();
        glViewport(30, 20, 150, 120);
        glScissor(40, 30, 100, 100);
        glEnable(GL_SCISSOR_TEST);
        whole_triangle();
        glDisable(GL_SCISSOR_TEST);
        glWindowPos2i(95, 70);
        const GLubyte bits[8] = {0xff, 0x81, 0x81, 0xff, 0xff, 0x81, 0x81, 0xff};
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glBitmap(8, 8, 0, 0, 9, 3, bits);
    };
    const auto rest = [] {
        const GLubyte bits[8] = {0xff, 0x81, 0x81, 0xff, 0xff, 0x81, 0x81, 0xff};
        glBitmap(8, 8, 0, 0, 9, 3, bits);
        whole_triangle();
    };
    scene();
    rest();
    const Image whole = pixels(width, height);

    Tile tile(part(0, 0, 100, 75));
    scene();
    tile.surface.part = part(100, 75, 100, 75);
    mpiglut::gl::moved(&tile.surface);
    glViewport(0, 0, width, height);
    scene();
    EXPECT_EQ(integers(GL_SCISSOR_BOX, 4), (Told{40, 30, 100, 100}));
    rest();
    Image together = whole;
    paste(together, pixels(100, 75), 100, 75);
    EXPECT_EQ(difference(whole, together), "");
}

TEST(GlViewport, ContextsKeepTheirOwn) {
    const Tile first(part(0, 0, 100, 75));
    glViewport(1, 2, 30, 40);
    {
        const Tile second(part(100, 75, 100, 75));
        EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{0, 0, width, height}));
        glViewport(5, 6, 70, 80);
        first.drawable.make_current();
        EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{1, 2, 30, 40}));
        second.drawable.make_current();
        EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{5, 6, 70, 80}));
    }
    EXPECT_EQ(mpiglut::gl::current(), nullptr);
}

TEST(GlViewport, AContextThatVisitsAForeignDrawableTakesItsStateAlong) {
    Tile tile(part(100, 75, 100, 75));
    glViewport(10, 20, 30, 40);
    const Canvas foreign(64, 64);
    ASSERT_TRUE(glXMakeCurrent(glXGetCurrentDisplay(), foreign.pbuffer(), tile.drawable.context()));
    EXPECT_EQ(mpiglut::gl::current(), nullptr);
    EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{10, 20, 30, 40}));
    glViewport(50, 60, 70, 80);
    tile.drawable.make_current();
    EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{50, 60, 70, 80}));
}

TEST(GlViewport, CoreProfile) {
    expect_same(
        [](Told &told) {
            append(told, integers(GL_VIEWPORT, 4));
            glEnable(GL_SCISSOR_TEST);
            glScissor(50, 40, 90, 70);
            glClearColor(0.9f, 0.5f, 0.1f, 1);
            glClear(GL_COLOR_BUFFER_BIT);
            GLuint object = 0;
            glGenFramebuffers(1, &object);
            glBindFramebuffer(GL_FRAMEBUFFER, object);
            glViewport(0, 0, 10, 10);
            glBindFramebuffer(GL_FRAMEBUFFER, 0);
            glScissor(95, 70, 10, 10);
            glClearColor(0, 0.5f, 0.1f, 1);
            glClear(GL_COLOR_BUFFER_BIT);
            append(told, integers(GL_VIEWPORT, 4));
        },
        true);
}

TEST(GlViewport, IsNotedForTheDigest) {
    const auto digest_of = [](const mpiglut::gl::Part &piece, int x) {
        const Tile tile(piece);
        mpiglut::current_digest() = {};
        glViewport(x, 0, 10, 10);
        glScissor(1, 2, 3, 4);
        return mpiglut::current_digest();
    };
    EXPECT_EQ(digest_of(part(0, 0, 100, 75), 1), digest_of(part(100, 75, 100, 75), 1));
    EXPECT_NE(digest_of(part(0, 0, 100, 75), 1), digest_of(part(0, 0, 100, 75), 2));
}
