// Display lists that hold translated calls.

#include "gl_rig.h"

#include <array>
#include <string>

using namespace rig;

namespace {

const GLubyte glyph[8] = {0xff, 0x81, 0xbd, 0xa5, 0xa5, 0xbd, 0x81, 0xff};

void bitmap() {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glBitmap(8, 8, 0, 0, 10, 2, glyph);
}

/// A scene in its own small viewport.
void inset(int x, int y, int w, int h) {
    glViewport(x, y, w, h);
    glEnable(GL_SCISSOR_TEST);
    glScissor(x + 2, y + 2, w - 4, h - 4);
    glColor3f(1, 1, 0);
    glBegin(GL_TRIANGLES);
    glVertex2i(0, 0);
    glVertex2i(width, 0);
    glVertex2i(0, height);
    glEnd();
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, width, height);
}

void compile(GLuint list, const std::function<void()> &what, GLenum mode = GL_COMPILE) {
    glNewList(list, mode);
    what();
    glEndList();
}

} // namespace

TEST(GlLists, HoldViewportsScissorsAndPositions) {
    expect_same([](Told &told) {
        const GLuint list = glGenLists(1);
        told.push_back(list);
        compile(list, [] {
            backdrop();
            inset(20, 10, 120, 80);
            glColor3f(1, 1, 1);
            glWindowPos2i(90, 70);
            bitmap();
            bitmap();
            glColor3f(0, 1, 0);
            box(60, 100, 80, 5);
        });
        append(told, integers(GL_VIEWPORT, 4));
        append(told, integers(GL_SCISSOR_BOX, 4)); // nothing was executed
        told.push_back(glIsList(list));
        glCallList(list);
        append(told, integers(GL_VIEWPORT, 4));
        append(told, integers(GL_SCISSOR_BOX, 4));
        append(told, floats(GL_CURRENT_RASTER_POSITION, 4));
    });
}

TEST(GlLists, AreCalledWithTheOriginOfTheMoment) {
    expect_same([](Told &told) {
        GLuint texture = 0, object = 0;
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glGenFramebuffers(1, &object);
        compile(7, [] {
            backdrop();
            inset(20, 10, 120, 80);
        });
        compile(8, [] { glCallList(7); });
        glBindFramebuffer(GL_FRAMEBUFFER, object);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
        glCallList(8);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        in_pixels();
        glEnable(GL_TEXTURE_2D);
        glColor3f(0.5f, 1, 1);
        glBegin(GL_QUADS);
        for (const auto &[x, y] : {std::array{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
            glTexCoord2i(x, y);
            glVertex2i(x ? width : 0, y ? height : 0);
        }
        glEnd();
        glDisable(GL_TEXTURE_2D);
        glViewport(100, 20, 90, 110);
        glCallList(7);
        append(told, integers(GL_VIEWPORT, 4));
    });
}

TEST(GlLists, CompileAndExecute) {
    expect_same([](Told &told) {
        compile(
            3,
            [&told] {
                backdrop(4);
                glViewport(40, 30, 100, 100);
                append(told, integers(GL_VIEWPORT, 4)); // done already
                glColor3f(1, 0, 0);
                box(20, 20, 50, 50);
                glPushAttrib(GL_VIEWPORT_BIT);
                glViewport(100, 60, 60, 60);
                glColor3f(0, 0, 1);
                box(20, 20, 50, 50);
                glPopAttrib();
                glColor3f(0, 1, 1);
                box(80, 80, 50, 50);
            },
            GL_COMPILE_AND_EXECUTE);
        append(told, integers(GL_VIEWPORT, 4));
        glViewport(0, 0, width / 2, height / 2);
        glCallList(3);
        append(told, integers(GL_VIEWPORT, 4));
        append(told, integers(GL_ATTRIB_STACK_DEPTH, 1));
    });
}

TEST(GlLists, Nest) {
    expect_same([](Told &told) {
        compile(1, [] {
            backdrop();
            glCallList(2); // not there yet
            glCallList(3);
        });
        compile(2, [] { inset(10, 10, 120, 100); });
        compile(3, [] {
            glColor3f(1, 0, 1);
            box(95, 30, 20, 90);
            glCallList(4);
        });
        compile(4, [] { glCallList(3); }); // forever, were there no limit
        compile(4, [] { box(30, 70, 140, 6); });
        glCallList(1);
        append(told, integers(GL_VIEWPORT, 4));
    });
}

TEST(GlLists, CalledBetweenBeginAndEnd) {
    expect_same([](Told &) {
        compile(1, [] {
            glVertex2i(10, 10);
            glVertex2i(190, 20);
        });
        compile(2, [] {
            backdrop();
            inset(10, 10, 90, 100);
            glColor3f(1, 1, 1);
            glBegin(GL_TRIANGLES);
            glCallList(1);
            glVertex2i(100, 140);
            glEnd();
        });
        glCallList(2);
    });
}

TEST(GlLists, ByNamesOfEveryType) {
    expect_same([](Told &told) {
        const GLuint base = glGenLists(20);
        told.push_back(base);
        backdrop();
        for (GLuint i = 0; i < 20; ++i)
            compile(base + i, [i] {
                if (i % 4 == 1)
                    glViewport(0, 0, width - static_cast<GLint>(i), height);
                glColor3ub(static_cast<GLubyte>(255 - 10 * i), static_cast<GLubyte>(i * 12), 128);
                box(static_cast<int>(i) * 9, 60 + static_cast<int>(i), 14, 30);
            });
        glListBase(base);
        const GLbyte bytes[] = {0, 1};
        const GLubyte ubytes[] = {2, 3};
        const GLshort shorts[] = {4, 5};
        const GLushort ushorts[] = {6, 7};
        const GLint ints[] = {8, 9};
        const GLuint uints[] = {10, 11};
        const GLfloat reals[] = {12.0f, 13.9f};
        const GLubyte two[] = {0, 14, 0, 15}, three[] = {0, 0, 16, 0, 0, 17}, four[] = {0, 0, 0, 18, 0, 0, 0, 19};
        const auto all = [&] {
            glCallLists(2, GL_BYTE, bytes);
            glCallLists(2, GL_UNSIGNED_BYTE, ubytes);
            glCallLists(2, GL_SHORT, shorts);
            glCallLists(2, GL_UNSIGNED_SHORT, ushorts);
            glCallLists(2, GL_INT, ints);
            glCallLists(2, GL_UNSIGNED_INT, uints);
            glCallLists(2, GL_FLOAT, reals);
            glCallLists(2, GL_2_BYTES, two);
            glCallLists(2, GL_3_BYTES, three);
            glCallLists(2, GL_4_BYTES, four);
        };
        all();
        append(told, integers(GL_VIEWPORT, 4));
        compile(base + 30, [&] {
            glListBase(base + 1);
            glCallLists(2, GL_UNSIGNED_BYTE, ubytes);
            glListBase(base);
            all();
        });
        glViewport(0, 30, width, height);
        glCallList(base + 30);
        append(told, integers(GL_VIEWPORT, 4));
        const GLbyte back[] = {-1, -2};
        glListBase(base + 3);
        glCallLists(2, GL_BYTE, back);
        append(told, integers(GL_VIEWPORT, 4));
        glCallLists(2, GL_DOUBLE, back);
        told.push_back(glGetError());
    });
}

TEST(GlLists, NamesComeAndGoAsInPlainGl) {
    expect_same([](Told &told) {
        const GLuint first = glGenLists(3);
        for (GLuint i = 0; i < 3; ++i)
            compile(first + i, [] {
                glViewport(1, 2, 3, 4);
                glScissor(1, 2, 3, 4);
            });
        const GLuint second = glGenLists(2);
        told.push_back(first);
        told.push_back(second);
        told.push_back(glIsList(second + 1));
        told.push_back(glIsList(second + 2));
        glDeleteLists(first + 1, 2);
        told.push_back(glIsList(first));
        told.push_back(glIsList(first + 1));
        glCallList(first + 1); // nothing
        append(told, integers(GL_VIEWPORT, 4));
        compile(first + 1, [] { glViewport(5, 6, 7, 8); });
        compile(first, [] {});
        glCallList(first); // nothing any more
        append(told, integers(GL_VIEWPORT, 4));
        glCallList(first + 1);
        append(told, integers(GL_VIEWPORT, 4));
        glDeleteLists(0, 1000);
        told.push_back(glIsList(first + 1));
        told.push_back(glGenLists(-1));
        told.push_back(glGetError());
        told.push_back(glGenLists(1));
    });
}

TEST(GlLists, ErrorsAreGlsOwn) {
    expect_same([](Told &told) {
        glNewList(0, GL_COMPILE);
        told.push_back(glGetError());
        glEndList();
        told.push_back(glGetError());
        glNewList(1, GL_RENDER);
        told.push_back(glGetError());
        glNewList(1, GL_COMPILE);
        glViewport(0, 0, 10, 10);
        glNewList(2, GL_COMPILE);
        told.push_back(glGetError());
        glEndList();
        glEndList();
        told.push_back(glGetError());
        glCallList(1);
        append(told, integers(GL_VIEWPORT, 4));
    });
}

TEST(GlLists, PushAndPopAcrossTranslatedCalls) {
    expect_same([](Told &told) {
        backdrop();
        // Only inside the list.
        compile(1, [] {
            glPushAttrib(GL_ALL_ATTRIB_BITS);
            glPushAttrib(GL_CURRENT_BIT);
            glPushAttrib(GL_VIEWPORT_BIT);
            glColor3f(1, 0, 0);
            glViewport(50, 40, 100, 60);
            box(0, 0, width / 2, height / 2);
            glPopAttrib();
            box(20, 120, 10, 10);
            glPopAttrib();
            glScissor(3, 3, 50, 50);
            glPopAttrib();
        });
        glCallList(1);
        append(told, integers(GL_VIEWPORT, 4));
        append(told, integers(GL_SCISSOR_BOX, 4));
        // Pushed in one, popped in another.
        compile(2, [] { glPushAttrib(GL_VIEWPORT_BIT | GL_SCISSOR_BIT); });
        compile(3, [] { glPopAttrib(); });
        glViewport(9, 9, 90, 90);
        glCallList(2);
        glViewport(0, 0, 50, 50);
        glScissor(0, 0, 50, 50);
        box(0, 0, width, height);
        glCallList(3);
        append(told, integers(GL_VIEWPORT, 4));
        append(told, integers(GL_SCISSOR_BOX, 4));
        // Pushed outside, popped inside, and the other way round.
        glPushAttrib(GL_VIEWPORT_BIT);
        glViewport(1, 1, 11, 11);
        glCallList(3);
        append(told, integers(GL_VIEWPORT, 4));
        glCallList(2);
        glViewport(1, 1, 11, 11);
        glPopAttrib();
        append(told, integers(GL_VIEWPORT, 4));
        append(told, integers(GL_ATTRIB_STACK_DEPTH, 1));
    });
}

TEST(GlLists, OrdinaryListsStayInOnePiece) {
    const Tile tile(part(100, 75, 100, 75));
    compile(1, [] {
        glPushAttrib(GL_ALL_ATTRIB_BITS);
        backdrop();
        glPopAttrib();
    });
    compile(2, [] { glCallList(1); });
    EXPECT_FALSE(glIsList(0x40000000));
    EXPECT_EQ(glGenLists(1), 3u);
    glPushAttrib(GL_VIEWPORT_BIT); // the mirror was not asked to follow the lists' pushes
    glViewport(1, 2, 3, 4);
    glCallList(2);
    glPopAttrib();
    EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{0, 0, width, height}));
}

TEST(GlLists, BelongToTheirShareGroup) {
    Tile first(part(0, 0, 100, 75));
    compile(1, [] { glViewport(1, 1, 10, 10); });

    const Canvas sharing(100, 75, &first.drawable);
    mpiglut::gl::Surface surface = first.surface;
    mpiglut::gl::attach(sharing.pbuffer(), &surface);
    sharing.make_current();
    glCallList(1);
    EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{1, 1, 10, 10}));
    compile(2, [] { glViewport(2, 2, 20, 20); });
    first.drawable.make_current();
    glCallList(2);
    EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{2, 2, 20, 20}));
    mpiglut::gl::detach(sharing.pbuffer());

    const Tile stranger(part(100, 0, 100, 75));
    compile(1, [] { glViewport(3, 3, 30, 30); });
    glCallList(1);
    glCallList(2); // not in this group
    EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{3, 3, 30, 30}));
    first.drawable.make_current();
    glCallList(1);
    EXPECT_EQ(integers(GL_VIEWPORT, 4), (Told{1, 1, 10, 10}));
}

TEST(GlLists, BindingAFramebufferWhileCompilingGoesIntoNoList) {
    expect_same([](Told &told) {
        GLuint object = 0;
        glGenFramebuffers(1, &object);
        glNewList(1, GL_COMPILE);
        backdrop();
        glBindFramebuffer(GL_FRAMEBUFFER, object);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glColor3f(1, 1, 1);
        box(90, 60, 30, 30);
        glEndList();
        glViewport(30, 30, 120, 100);
        glCallList(1);
        append(told, integers(GL_VIEWPORT, 4));
    });
}
