// A GL context of the test, current on a pbuffer.
#pragma once

#include <gtest/gtest.h> // before Xlib.h, which makes macros of None and Bool

#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>

class GlContext : public testing::Test {
  protected:
    static constexpr int width = 64, height = 48;

    void SetUp() override {
        display_ = XOpenDisplay(nullptr);
        ASSERT_TRUE(display_) << "no X server";
        const int visual[] = {GLX_RENDER_TYPE,
                              GLX_RGBA_BIT,
                              GLX_DRAWABLE_TYPE,
                              GLX_PBUFFER_BIT,
                              GLX_RED_SIZE,
                              8,
                              GLX_DEPTH_SIZE,
                              24,
                              GLX_STENCIL_SIZE,
                              8,
                              None};
        int count = 0;
        GLXFBConfig *configs = glXChooseFBConfig(display_, DefaultScreen(display_), visual, &count);
        ASSERT_GT(count, 0);
        const int size[] = {GLX_PBUFFER_WIDTH, width, GLX_PBUFFER_HEIGHT, height, None};
        pbuffer_ = glXCreatePbuffer(display_, configs[0], size);
        context_ = glXCreateNewContext(display_, configs[0], GLX_RGBA_TYPE, nullptr, True);
        XFree(configs);
        ASSERT_TRUE(glXMakeContextCurrent(display_, pbuffer_, pbuffer_, context_));
    }

    void TearDown() override {
        if (!display_)
            return;
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        glXMakeContextCurrent(display_, None, None, nullptr);
        glXDestroyContext(display_, context_);
        glXDestroyPbuffer(display_, pbuffer_);
        XCloseDisplay(display_);
    }

  private:
    Display *display_ = nullptr;
    GLXPbuffer pbuffer_ = None;
    GLXContext context_ = nullptr;
};
