// xcb and EGL without Xlib, with OpenGL ES 2. The window is resized on the way.  egl_xcb [PICTURE.ppm [reader]]
// With the last word a thread reads the connection from the first frame on, as Qt has one, and wakes main() by an eventfd.
#include "scene.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <xcb/xcb.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace {

void *look_up(const char *name) { return reinterpret_cast<void *>(eglGetProcAddress(name)); }

void wait_for(xcb_connection_t *connection, int kind, int width) {
    while (xcb_generic_event_t *const event = xcb_wait_for_event(connection)) {
        const bool is_it = (event->response_type & 0x7f) == kind &&
                           (kind != XCB_CONFIGURE_NOTIFY ||
                            reinterpret_cast<xcb_configure_notify_event_t *>(event)->width == width);
        std::free(event);
        if (is_it)
            return;
    }
}

void draw_frames(EGLDisplay display, EGLSurface surface, scene::Scene &picture, const char *file) {
    EGLint width = 0, height = 0;
    eglQuerySurface(display, surface, EGL_WIDTH, &width);
    eglQuerySurface(display, surface, EGL_HEIGHT, &height);
    for (int frame = 1; frame <= scene::frames_of_each; ++frame) {
        picture.draw(frame, width, height);
        if (file && frame == scene::frames_of_each && !picture.write(file, width, height))
            std::exit(1);
        eglSwapBuffers(display, surface);
    }
}

/// Waits for the window's last size, in a thread; the frames are drawn meanwhile.
class Reader {
  public:
    explicit Reader(xcb_connection_t *connection)
        : thread_([this, connection] {
              wait_for(connection, XCB_CONFIGURE_NOTIFY, scene::last_width);
              const std::uint64_t one = 1;
              static_cast<void>(!write(wake_up_, &one, sizeof one));
          }) {}
    ~Reader() { thread_.join(); }
    void wait() const {
        pollfd one{wake_up_, POLLIN, 0};
        while (poll(&one, 1, -1) <= 0) {
        }
    }

  private:
    int wake_up_ = eventfd(0, EFD_NONBLOCK);
    std::thread thread_;
};

xcb_window_t make_window(xcb_connection_t *connection, EGLint visual) {
    const xcb_screen_t *const screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    const xcb_window_t window = xcb_generate_id(connection);
    const xcb_colormap_t colours = xcb_generate_id(connection);
    xcb_create_colormap(connection, XCB_COLORMAP_ALLOC_NONE, colours, screen->root, static_cast<xcb_visualid_t>(visual));
    std::uint8_t depth = 0;
    for (auto depths = xcb_screen_allowed_depths_iterator(screen); depths.rem; xcb_depth_next(&depths))
        for (auto all = xcb_depth_visuals_iterator(depths.data); all.rem; xcb_visualtype_next(&all))
            if (all.data->visual_id == static_cast<xcb_visualid_t>(visual))
                depth = depths.data->depth;
    const std::uint32_t values[] = {0, XCB_EVENT_MASK_EXPOSURE | XCB_EVENT_MASK_STRUCTURE_NOTIFY, colours};
    xcb_create_window(connection, depth, window, screen->root, 0, 0, scene::first_width, scene::first_height, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, static_cast<xcb_visualid_t>(visual),
                      XCB_CW_BORDER_PIXEL | XCB_CW_EVENT_MASK | XCB_CW_COLORMAP, values);
    xcb_map_window(connection, window);
    xcb_flush(connection);
    wait_for(connection, XCB_EXPOSE, 0);
    return window;
}

/// What is no fence, and, on a wall, a surface that no driver makes as large: what is wrong with these; null if nothing is.
const char *check_objects(EGLDisplay display, EGLConfig config) {
    const EGLAttrib none_of_a_fence[] = {EGL_WIDTH, 1, EGL_NONE};
    if (eglCreateSync(display, EGL_SYNC_FENCE, none_of_a_fence) || eglGetError() != EGL_BAD_ATTRIBUTE)
        return "a fence has attributes";
    if (eglDestroySync(display, EGL_NO_SYNC) || eglGetError() != EGL_BAD_PARAMETER)
        return "no fence can be destroyed";
    if (!std::getenv("MPIGLUT_RUN"))
        return nullptr;
    EGLint size[] = {EGL_WIDTH, 100'000, EGL_HEIGHT, 1, EGL_LARGEST_PBUFFER, EGL_TRUE, EGL_NONE}, width = 0;
    const EGLSurface largest = eglCreatePbufferSurface(display, config, size);
    if (!largest || !eglQuerySurface(display, largest, EGL_WIDTH, &width) || width < 1000)
        return "there is no largest pbuffer";
    size[5] = EGL_FALSE;
    if (eglCreatePbufferSurface(display, config, size) || eglGetError() != EGL_BAD_ALLOC)
        return "a pbuffer has any size";
    return eglDestroySurface(display, largest) ? nullptr : "a pbuffer cannot be destroyed";
}

EGLContext make_first(EGLDisplay display, EGLConfig config) {
    const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 1, EGL_NONE};
    return eglCreateContext(display, config, EGL_NO_CONTEXT, version);
}
/// Whether the driver makes OpenGL ES 1. Mesa 25's configurations name it where none is made. A display without a
/// window system is the driver's own, on walls too.
bool has_first() {
    const EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglInitialize(display, nullptr, nullptr))
        return true; // nobody says that there is none
    const EGLContext first =
        eglChooseConfig(display, wanted, &config, 1, &count) && count == 1 ? make_first(display, config) : nullptr;
    const bool is_made = first && eglDestroyContext(display, first);
    eglTerminate(display);
    return is_made;
}
/// OpenGL ES 1 has fewer settings of pixels than a wall looks at. The other context is current again afterwards.
const char *check_textures(EGLDisplay display, EGLConfig config, EGLSurface surface) {
    const EGLContext before = eglGetCurrentContext();
    EGLint kinds = 0;
    if (!eglGetConfigAttrib(display, config, EGL_RENDERABLE_TYPE, &kinds) || !(kinds & EGL_OPENGL_ES_BIT) || !has_first())
        return nullptr;
    const EGLContext first = make_first(display, config);
    if (!first || !eglMakeCurrent(display, surface, surface, first))
        return "there is no OpenGL ES 1";
    const auto load = reinterpret_cast<void (*)(unsigned, int, int, int, int, int, unsigned, unsigned, const void *)>(
        look_up("glTexImage2D"));
    const auto flush = reinterpret_cast<void (*)()>(look_up("glFlush"));
    const auto error = reinterpret_cast<unsigned (*)()>(look_up("glGetError"));
    const unsigned char pixels[2 * 2 * 4] = {};
    constexpr unsigned texture_2d = 0x0DE1, rgba = 0x1908, bytes = 0x1401;
    load(texture_2d, 0, rgba, 2, 2, 0, rgba, bytes, pixels);
    if (error())
        return "a texture cannot be loaded";
    flush();
    if (error())
        return "a flush is an error";
    return eglMakeCurrent(display, surface, surface, before) && eglDestroyContext(display, first)
               ? nullptr
               : "a context does not come back";
}

} // namespace

int main(int argc, char **argv) {
    xcb_connection_t *const connection = xcb_connect(nullptr, nullptr);
    const EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, connection, nullptr);
    const EGLint wanted[] = {EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_SURFACE_TYPE, EGL_WINDOW_BIT,
                             EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0, visual = 0;
    if (!eglInitialize(display, nullptr, nullptr) || !eglChooseConfig(display, wanted, &config, 1, &count) ||
        count != 1 || !eglGetConfigAttrib(display, config, EGL_NATIVE_VISUAL_ID, &visual) || !visual) {
        std::fprintf(stderr, "no EGL, or no config: 0x%x\n", static_cast<unsigned>(eglGetError()));
        return 1;
    }
    xcb_window_t window = make_window(connection, visual);
    const EGLSurface surface = eglCreatePlatformWindowSurface(display, config, &window, nullptr);
    const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    if (!surface || !context || !eglMakeCurrent(display, surface, surface, context) ||
        eglGetCurrentSurface(EGL_DRAW) != surface || eglGetCurrentContext() != context) {
        std::fprintf(stderr, "no surface, or no context: 0x%x\n", static_cast<unsigned>(eglGetError()));
        return 1;
    }
    for (const char *const wrong : {check_objects(display, config), check_textures(display, config, surface)})
        if (wrong) {
            std::fprintf(stderr, "%s\n", wrong);
            return 1;
        }
    scene::Scene picture(look_up);
    std::optional<Reader> reader;
    if (argc > 2 && std::strcmp(argv[2], "reader") == 0)
        reader.emplace(connection);
    draw_frames(display, surface, picture, nullptr);
    const std::uint32_t size[] = {scene::last_width, scene::last_height};
    xcb_configure_window(connection, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    xcb_flush(connection);
    reader ? reader->wait() : wait_for(connection, XCB_CONFIGURE_NOTIFY, scene::last_width);
    draw_frames(display, surface, picture, argc > 1 ? argv[1] : nullptr);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    reader.reset();
    eglDestroySurface(display, surface);
    const bool is_gone = !eglMakeCurrent(display, surface, surface, context) && eglGetError() == EGL_BAD_SURFACE;
    eglDestroyContext(display, context);
    if (!is_gone || eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) ||
        eglGetError() != EGL_BAD_CONTEXT) {
        std::fprintf(stderr, "what is destroyed can be current\n");
        return 1;
    }
    eglTerminate(display);
    xcb_disconnect(connection);
    return 0;
}
