#include "gl/context/off_screen.h"

#include "base/real.h"
#include "base/x_errors.h"
#include "gl/context/context.h"

#include <GL/gl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>

namespace mpiglut::gl {
namespace {

int attribute(Display *display, GLXFBConfig config, int name) {
    int value = 0;
    REAL(glXGetFBConfigAttrib)(display, config, name, &value);
    return value;
}

bool has_pbuffers(Display *display, GLXFBConfig config) {
    static const char *const wanted = std::getenv("MPIGLUT_PBUFFERS");
    static const bool unwanted = wanted && std::string_view(wanted) == "no";
    return !unwanted && attribute(display, config, GLX_DRAWABLE_TYPE) & GLX_PBUFFER_BIT;
}

GLXFBConfig config_of(Display *display, GLXContext context) {
    int id = 0, count = 0;
    REAL(glXQueryContext)(display, context, GLX_FBCONFIG_ID, &id);
    const int wanted[] = {GLX_FBCONFIG_ID, id, None};
    GLXFBConfig *configs = REAL(glXChooseFBConfig)(display, DefaultScreen(display), wanted, &count);
    GLXFBConfig config = configs && count ? configs[0] : nullptr;
    if (configs)
        XFree(configs);
    return config;
}

/// Never mapped. None where X has no such windows.
GLXDrawable make_hidden_window(Display *display, GLXFBConfig config, int width, int height) {
    XVisualInfo *visual = REAL(glXGetVisualFromFBConfig)(display, config);
    if (!visual)
        return None;
    const ::Window root = RootWindow(display, visual->screen);
    XSetWindowAttributes attributes{};
    attributes.override_redirect = True;
    attributes.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    const ::Window made = XCreateWindow(display, root, 0, 0, static_cast<unsigned>(std::max(width, 1)),
                                        static_cast<unsigned>(std::max(height, 1)), 0, visual->depth, InputOutput,
                                        visual->visual, CWBorderPixel | CWColormap | CWOverrideRedirect, &attributes);
    XFreeColormap(display, attributes.colormap); // its colours are never shown
    XFree(visual);
    return made;
}

/// Of colours, in that buffer of the current drawable.
bool keeps_pixels(GLenum buffer, int width, int height) {
    REAL(glDrawBuffer)(buffer);
    glReadBuffer(buffer);
    glClearColor(1, 0, 1, 1);
    REAL(glClear)(GL_COLOR_BUFFER_BIT);
    std::array<GLubyte, 4> corner{}, other{};
    REAL(glReadPixels)(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, corner.data());
    REAL(glReadPixels)(width - 1, height - 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, other.data());
    const std::array<GLubyte, 3> wanted{255, 0, 255};
    return std::equal(wanted.begin(), wanted.end(), corner.begin()) &&
           std::equal(wanted.begin(), wanted.end(), other.begin());
}

bool try_hidden_window(Display *display, GLXFBConfig config) {
    constexpr int width = 37, height = 23;
    const GLenum buffer = attribute(display, config, GLX_DOUBLEBUFFER) ? GL_BACK : GL_FRONT;
    const QuietErrors errors(display);
    const GLXContext program = glXGetCurrentContext();
    const GLXDrawable draw = REAL(glXGetCurrentDrawable)(), read = REAL(glXGetCurrentReadDrawable)();
    const GLXDrawable window = make_hidden_window(display, config, width, height);
    const GLXContext context = REAL(glXCreateNewContext)(display, config, GLX_RGBA_TYPE, nullptr, True);
    bool works = false;
    if (window && context) {
        const Untranslated untranslated;
        works = REAL(glXMakeContextCurrent)(display, window, window, context) && keeps_pixels(buffer, width, height);
        REAL(glXMakeContextCurrent)(display, draw, read, program);
    }
    if (context)
        REAL(glXDestroyContext)(display, context);
    if (window)
        XDestroyWindow(display, window);
    return works && !errors.refused();
}

bool has_hidden_windows(Display *display, GLXFBConfig config) {
    static auto *const tried = new std::map<int, bool>; // exit handlers of the program draw, too
    const int id = attribute(display, config, GLX_FBCONFIG_ID);
    const auto found = tried->find(id);
    return found != tried->end() ? found->second : ((*tried)[id] = try_hidden_window(display, config));
}

} // namespace

GLXFBConfig off_screen_config(Display *display, GLXContext context) {
    const GLXFBConfig config = config_of(display, context);
    return config && (has_pbuffers(display, config) || has_hidden_windows(display, config)) ? config : nullptr;
}

bool fits_off_screen(int width, int height) {
    Display *display = REAL(glXGetCurrentDisplay)();
    const GLXFBConfig config = display ? config_of(display, glXGetCurrentContext()) : nullptr;
    const auto fits = [&](int size, int name) {
        const int most = attribute(display, config, name);
        return most <= 0 || size <= most; // some servers do not say
    };
    return config && (!has_pbuffers(display, config) ||
                      (fits(width, GLX_MAX_PBUFFER_WIDTH) && fits(height, GLX_MAX_PBUFFER_HEIGHT)));
}

GLXDrawable make_off_screen(Display *display, GLXFBConfig config, int width, int height) {
    const int attributes[] = {GLX_PBUFFER_WIDTH, width, GLX_PBUFFER_HEIGHT, height, GLX_PRESERVED_CONTENTS, True, None};
    const QuietErrors errors(display);
    const GLXDrawable made = has_pbuffers(display, config) ? REAL(glXCreatePbuffer)(display, config, attributes)
                                                           : make_hidden_window(display, config, width, height);
    if (!made || !errors.refused())
        return made;
    destroy_off_screen(display, config, made);
    return None;
}

void destroy_off_screen(Display *display, GLXFBConfig config, GLXDrawable drawable) {
    if (has_pbuffers(display, config))
        REAL(glXDestroyPbuffer)(display, drawable);
    else
        XDestroyWindow(display, drawable);
}

} // namespace mpiglut::gl
