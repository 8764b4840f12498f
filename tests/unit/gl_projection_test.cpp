// Projections, as the program sees them. This, and all the other tests of the GL layer, also runs with a driver that
// is said to have small viewports only.

#include "gl_rig.h"

#include "base/real.h"
#include "gl/coordinates/mirror.h"

#include <GL/glu.h>

#include <array>

using namespace rig;

namespace {

void cube() {
    glBegin(GL_QUADS);
    for (int side = 0; side < 6; ++side)
        for (const auto &[a, b] : {std::array{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
            std::array<int, 3> v{};
            v[side / 2] = side % 2 ? 1 : -1;
            v[(side / 2 + 1) % 3] = a;
            v[(side / 2 + 2) % 3] = b;
            glColor3f(0.5f + 0.5f * static_cast<float>(v[0]), 0.5f + 0.5f * static_cast<float>(v[1]),
                      static_cast<float>(side) / 6);
            glVertex3iv(v.data());
        }
    glEnd();
}

void perspective() {
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    gluPerspective(50, static_cast<double>(width) / height, 1, 20);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    gluLookAt(2, 3, 5, 0, 0, 0, 0, 1, 0);
}

Told projection() {
    Told all = floats(GL_PROJECTION_MATRIX, 16);
    append(all, floats(GL_TRANSPOSE_PROJECTION_MATRIX, 16));
    append(all, integers(GL_PROJECTION_STACK_DEPTH, 1));
    append(all, integers(GL_MATRIX_MODE, 1));
    return all;
}

} // namespace

TEST(GlProjection, Perspective) {
    expect_same([](Told &told) {
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glEnable(GL_DEPTH_TEST);
        perspective();
        append(told, projection());
        cube();
        glViewport(20, 30, 170, 90);
        append(told, projection());
        glTranslatef(0, 1, 0);
        cube();
        glDisable(GL_DEPTH_TEST);
    });
}

TEST(GlProjection, EveryWayToLoadAMatrix) {
    expect_same([](Told &told) {
        std::array<GLfloat, 16> f{};
        std::array<GLdouble, 16> d{};
        for (int i = 0; i < 16; ++i)
            d[i] = f[i] = static_cast<GLfloat>(i * i % 7) * 0.25f + (i % 5 == 0 ? 3.0f : 0.0f);
        glMatrixMode(GL_PROJECTION);
        glLoadMatrixf(f.data());
        append(told, projection());
        glLoadMatrixd(d.data());
        append(told, projection());
        glLoadTransposeMatrixf(f.data());
        append(told, projection());
        glLoadTransposeMatrixdARB(d.data());
        append(told, projection());
        glMultMatrixf(f.data());
        append(told, projection());
        glMatrixMode(GL_MODELVIEW);
        glMatrixLoadfEXT(GL_PROJECTION, f.data());
        append(told, projection());
        glMatrixLoadTransposedEXT(GL_PROJECTION, d.data());
        append(told, projection());
        glMatrixLoadIdentityEXT(GL_PROJECTION);
        append(told, projection());
        glLoadMatrixf(f.data());
        append(told, floats(GL_MODELVIEW_MATRIX, 16));
        append(told, projection());
    });
}

TEST(GlProjection, StackAcrossViewports) {
    expect_same([](Told &told) {
        backdrop();
        glMatrixMode(GL_PROJECTION);
        glPushMatrix();
        glLoadIdentity();
        gluOrtho2D(-1, 1, -1, 1);
        glPushMatrix();
        glScalef(0.5f, 0.5f, 1);
        glViewport(50, 20, 60, 100); // small enough for any driver
        append(told, projection());
        glColor3f(1, 1, 0);
        glRectf(-1, -1, 1, 1);
        glViewport(0, 0, width, height);
        glPopMatrix();
        append(told, projection());
        glColor3f(0, 1, 1);
        glRectf(-0.1f, -0.1f, 0.1f, 0.1f);
        glPopMatrix();
        append(told, projection());
        glMatrixMode(GL_MODELVIEW);
        glColor3f(1, 0, 1);
        box(90, 100, 30, 30);
    });
}

TEST(GlProjection, DoesNotDriftOverManyFramebuffers) {
    expect_same([](Told &told) {
        perspective();
        GLuint object = 0;
        glGenFramebuffers(1, &object);
        const Told before = floats(GL_PROJECTION_MATRIX, 16);
        for (int i = 0; i < 300; ++i) {
            glBindFramebuffer(GL_FRAMEBUFFER, object);
            glBindFramebuffer(GL_FRAMEBUFFER, 0);
        }
        EXPECT_EQ(floats(GL_PROJECTION_MATRIX, 16), before);
        append(told, projection());
    });
}

TEST(GlProjection, InLists) {
    expect_same([](Told &told) {
        glNewList(1, GL_COMPILE);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glMatrixMode(GL_PROJECTION);
        glPushMatrix();
        glLoadIdentity();
        gluOrtho2D(0, width, 0, height);
        glMatrixMode(GL_MODELVIEW);
        glPushMatrix();
        glLoadIdentity();
        glColor3f(0.2f, 0.4f, 0.8f);
        box(10, 10, 180, 130);
        glPopMatrix();
        glMatrixMode(GL_PROJECTION);
        glPopMatrix();
        glMatrixMode(GL_MODELVIEW);
        glEndList();
        perspective();
        glCallList(1);
        append(told, projection());
        cube();
    });
}

TEST(GlProjection, ClipSpaceFromAbove) {
    expect_same([](Told &told) {
        backdrop();
        const auto mark = [](float red) {
            glColor3f(red, 1 - red, 0.5f);
            glRecti(20, 90, 130, 140);
        };
        glClipControl(GL_UPPER_LEFT, GL_ZERO_TO_ONE);
        append(told, projection());
        mark(0);
        glPushAttrib(GL_TRANSFORM_BIT);
        glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
        glRecti(100, 20, 150, 70);
        glPopAttrib();
        glColor3f(1, 1, 0);
        glRecti(150, 20, 190, 70);
        glNewList(1, GL_COMPILE);
        glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
        glEndList();
        glColor3f(0, 1, 1);
        glRecti(10, 30, 40, 60);
        glCallList(1);
        glRecti(60, 30, 90, 60);
        glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
        append(told, integers(GL_CLIP_ORIGIN, 1));
    });
}

TEST(GlProjection, UnprojectsWhatItProjects) {
    expect_same([](Told &told) {
        perspective();
        std::array<GLdouble, 16> model{}, project{};
        std::array<GLint, 4> viewport{};
        glGetDoublev(GL_MODELVIEW_MATRIX, model.data());
        glGetDoublev(GL_PROJECTION_MATRIX, project.data());
        glGetIntegerv(GL_VIEWPORT, viewport.data());
        GLdouble x = 0, y = 0, z = 0;
        gluProject(0.5, 0.25, -1, model.data(), project.data(), viewport.data(), &x, &y, &z);
        append(told, {x, y, z});
    });
}

TEST(GlProjection, ShadersAreToldTheCrop) {
    const Tile tile(part(100, 0, 100, 75));
    const mpiglut::gl::Crop s = mpiglut::gl::crop();
    EXPECT_EQ(mpiglut::gl::projection_fallback(), !s.identity());
    EXPECT_EQ(mpiglut::gl::projection_fallback(), mpiglut::gl::max_viewport_override() > 0);
    // A point keeps its pixel: by the whole window's viewport, and by the driver's after the crop.
    std::array<GLint, 4> real{};
    REAL(glGetIntegerv)(GL_VIEWPORT, real.data());
    for (const double ndc : {-0.9, 0.0, 0.7}) {
        EXPECT_NEAR((ndc + 1) / 2 * width, 100 + real[0] + (ndc * s.scale_x + s.offset_x + 1) / 2 * real[2], 1e-9);
        EXPECT_NEAR((ndc + 1) / 2 * height, real[1] + (ndc * s.scale_y + s.offset_y + 1) / 2 * real[3], 1e-9);
    }
}
