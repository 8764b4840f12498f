// Xlib and GLX by dlopen and dlsym, as GLFW and SDL have them: an FBConfig, a window of GLX's, and what other programs
// do with pbuffers.  glx_loaded [PICTURE.ppm]
#include "scene.h"

#include <dlfcn.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

namespace {

void *xlib = nullptr, *libgl = nullptr;

#define LOADED(library, name) reinterpret_cast<decltype(&::name)>(dlsym(library, #name))

void *look_up(const char *name) { return dlsym(libgl, name); }

bool draw(Display *display, GLXFBConfig config, GLXContext context, const char *file) {
    XVisualInfo *const visual = LOADED(libgl, glXGetVisualFromFBConfig)(display, config);
    if (!visual)
        return false;
    const Window root = RootWindow(display, DefaultScreen(display));
    XSetWindowAttributes attributes{};
    attributes.colormap = LOADED(xlib, XCreateColormap)(display, root, visual->visual, AllocNone);
    const Window window = LOADED(xlib, XCreateWindow)(display, root, 0, 0, scene::last_width, scene::last_height, 0,
                                                      visual->depth, InputOutput, visual->visual,
                                                      CWBorderPixel | CWColormap, &attributes);
    LOADED(xlib, XMapWindow)(display, window);
    const GLXWindow drawn = LOADED(libgl, glXCreateWindow)(display, config, window, nullptr);
    const int size[] = {GLX_PBUFFER_WIDTH, 64, GLX_PBUFFER_HEIGHT, 64, None};
    const GLXPbuffer pbuffer = LOADED(libgl, glXCreatePbuffer)(display, config, size);
    const auto make_current = LOADED(libgl, glXMakeContextCurrent);
    if (!pbuffer || !make_current(display, pbuffer, pbuffer, context))
        return false;
    scene::Scene picture(look_up);
    picture.draw(1, 64, 64);
    for (int frame = 1; frame <= scene::frames_of_each; ++frame) {
        if (!make_current(display, drawn, drawn, context))
            return false;
        picture.draw(frame, scene::last_width, scene::last_height);
        if (file && frame == scene::frames_of_each && !picture.write(file, scene::last_width, scene::last_height))
            return false;
        LOADED(libgl, glXSwapBuffers)(display, drawn);
        make_current(display, pbuffer, pbuffer, context); // draws elsewhere in between
        picture.draw(frame, 64, 64);
    }
    return true;
}

} // namespace

int main(int argc, char **argv) {
    xlib = dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL);
    libgl = dlopen("libGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!xlib || !libgl)
        return 1;
    Display *const display = LOADED(xlib, XOpenDisplay)(nullptr);
    const int wanted[] = {GLX_DOUBLEBUFFER, True, GLX_RED_SIZE, 8, GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PBUFFER_BIT,
                          GLX_X_RENDERABLE, True, None};
    int count = 0;
    GLXFBConfig *const configs =
        display ? LOADED(libgl, glXChooseFBConfig)(display, DefaultScreen(display), wanted, &count) : nullptr;
    const auto get = LOADED(libgl, glXGetProcAddressARB);
    const auto create = reinterpret_cast<PFNGLXCREATECONTEXTATTRIBSARBPROC>(
        get(reinterpret_cast<const GLubyte *>("glXCreateContextAttribsARB")));
    const int attributes[] = {GLX_CONTEXT_MAJOR_VERSION_ARB, 2, GLX_CONTEXT_MINOR_VERSION_ARB, 1, None};
    const GLXContext context = count > 0 && create ? create(display, configs[0], nullptr, True, attributes) : nullptr;
    if (!context || !draw(display, configs[0], context, argc > 1 ? argv[1] : nullptr)) {
        std::fprintf(stderr, "no context, or no drawable\n");
        return 1;
    }
    return 0;
}
