// Where pixels get that OpenGL has drawn to a surface: gl_copies texture|copy|pixmap|glx|colours|refused|es. It
// prints pixels, and what EGL says.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace {

constexpr int width = 160, height = 60;

struct Shown {
    Display *display = nullptr;
    Window window = None;
    int depth = 0;
};

Shown make_window(Display *display, VisualID id) {
    XVisualInfo wanted{};
    wanted.visualid = id;
    int count = 0;
    const XVisualInfo *const visual = XGetVisualInfo(display, VisualIDMask, &wanted, &count);
    if (!visual)
        std::exit(1);
    const Window root = DefaultRootWindow(display);
    XSetWindowAttributes attributes{};
    attributes.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    const Window window = XCreateWindow(display, root, 0, 0, width, height, 0, visual->depth, InputOutput,
                                        visual->visual, CWBorderPixel | CWColormap, &attributes);
    XMapWindow(display, window);
    XSync(display, False);
    return {display, window, visual->depth};
}

/// Another colour in each quarter of the surface. The left quarters are on another tile.
template <class Box> void draw_quarters(float blue, Box box) {
    glEnable(GL_SCISSOR_TEST);
    for (int quarter = 0; quarter < 4; ++quarter) {
        box(quarter % 2 * width / 2, quarter / 2 * height / 2, width / 2, height / 2);
        glClearColor(static_cast<float>(quarter % 2), static_cast<float>(quarter / 2), blue, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glDisable(GL_SCISSOR_TEST);
}

void draw_quarters(float blue) { draw_quarters(blue, glScissor); }

void draw_texture() {
    glClearColor(0.2f, 0.2f, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glBegin(GL_QUADS);
    for (const auto &[x, y] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
        glTexCoord2i(x, y);
        glVertex2i(2 * x - 1, 2 * y - 1);
    }
    glEnd();
}

void print_surface(const char *what) {
    std::printf("%s:", what);
    for (int quarter = 0; quarter < 4; ++quarter) {
        unsigned char pixel[4] = {};
        glReadPixels(width / 4 + quarter % 2 * width / 2, height / 4 + quarter / 2 * height / 2, 1, 1, GL_RGBA,
                     GL_UNSIGNED_BYTE, pixel);
        std::printf(" %02x%02x%02x", pixel[0], pixel[1], pixel[2]);
    }
    std::printf("\n");
}

void print_pixmap(const char *what, Display *display, Pixmap pixmap) {
    XImage *const image = XGetImage(display, pixmap, 0, 0, width, height, AllPlanes, ZPixmap);
    std::printf("%s:", what);
    for (int quarter = 0; quarter < 4; ++quarter)
        std::printf(" %06lx", XGetPixel(image, width / 4 + quarter % 2 * width / 2,
                                        height / 4 + quarter / 2 * height / 2) & 0xffffff);
    std::printf("\n");
    XDestroyImage(image);
}

void print_egl(const char *what, EGLBoolean done) {
    const EGLint error = eglGetError(); // an argument may be looked at before
    std::printf("%s: %s 0x%x\n", what, done ? "done" : "refused", static_cast<unsigned>(error));
}

struct Egl {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLConfig config = nullptr;
    EGLContext context = EGL_NO_CONTEXT;
    Shown shown;

    Egl(Display *native, EGLenum api, EGLint version) : display(eglGetDisplay(native)) {
        const EGLint wanted[] = {EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8,
                                 EGL_BIND_TO_TEXTURE_RGBA, EGL_TRUE, EGL_SURFACE_TYPE,
                                 EGL_WINDOW_BIT | EGL_PBUFFER_BIT | EGL_PIXMAP_BIT, EGL_RENDERABLE_TYPE,
                                 EGL_OPENGL_BIT | EGL_OPENGL_ES2_BIT, EGL_NONE};
        const EGLint of_version[] = {EGL_CONTEXT_MAJOR_VERSION, version, EGL_NONE};
        EGLint count = 0, visual = 0;
        if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(api) ||
            !eglChooseConfig(display, wanted, &config, 1, &count) || count != 1 ||
            !eglGetConfigAttrib(display, config, EGL_NATIVE_VISUAL_ID, &visual))
            std::exit(1);
        context = eglCreateContext(display, config, EGL_NO_CONTEXT, of_version);
        shown = make_window(native, static_cast<VisualID>(visual));
    }
    EGLSurface surface(const EGLint *attributes = nullptr) const {
        const EGLSurface made = eglCreateWindowSurface(display, config, shown.window, attributes);
        print_egl("a window's surface", made != EGL_NO_SURFACE);
        return made;
    }
    void use(EGLSurface one) const {
        if (!eglMakeCurrent(display, one, one, context))
            std::printf("not current: 0x%x\n", static_cast<unsigned>(eglGetError()));
    }
};

void texture(const Egl &egl) {
    const EGLint attributes[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGBA,
                                 EGL_TEXTURE_TARGET, EGL_TEXTURE_2D, EGL_NONE};
    const EGLint half[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGBA, EGL_NONE};
    print_egl("a format without a target", eglCreatePbufferSurface(egl.display, egl.config, half) != EGL_NO_SURFACE);
    const EGLSurface pbuffer = eglCreatePbufferSurface(egl.display, egl.config, attributes), window = egl.surface();
    const EGLint huge[] = {EGL_WIDTH, INT_MAX, EGL_HEIGHT, INT_MAX, EGL_LARGEST_PBUFFER, EGL_TRUE, EGL_NONE};
    const EGLSurface largest = eglCreatePbufferSurface(egl.display, egl.config, huge);
    EGLint most = 0, found = 0, format = 0, target = 0;
    eglGetConfigAttrib(egl.display, egl.config, EGL_MAX_PBUFFER_WIDTH, &most);
    eglQuerySurface(egl.display, largest, EGL_WIDTH, &found);
    std::printf("the largest pbuffer is %s\n", found == most ? "as large as the driver says" : "of another size");
    eglDestroySurface(egl.display, largest);
    const EGLint wide[] = {EGL_WIDTH, INT_MAX, EGL_HEIGHT, INT_MAX / 64, EGL_LARGEST_PBUFFER, EGL_TRUE,
                           EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGB, EGL_TEXTURE_TARGET, EGL_TEXTURE_2D, EGL_NONE};
    const EGLSurface shaped = eglCreatePbufferSurface(egl.display, egl.config, wide);
    EGLint high = 0;
    eglQuerySurface(egl.display, shaped, EGL_WIDTH, &found);
    eglQuerySurface(egl.display, shaped, EGL_HEIGHT, &high);
    std::printf("the largest texture has %s\n", found == most && high == most / 64 ? "its shape" : "another shape");
    eglDestroySurface(egl.display, shaped);
    eglQuerySurface(egl.display, pbuffer, EGL_TEXTURE_FORMAT, &format);
    eglQuerySurface(egl.display, pbuffer, EGL_TEXTURE_TARGET, &target);
    std::printf("a pbuffer for 0x%x of 0x%x\n", static_cast<unsigned>(format), static_cast<unsigned>(target));
    egl.use(pbuffer);
    draw_quarters(0);
    egl.use(window);
    print_egl("a window as a texture", eglBindTexImage(egl.display, window, EGL_BACK_BUFFER));
    GLuint name = 0, other = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    print_egl("a pbuffer as a texture", eglBindTexImage(egl.display, pbuffer, EGL_BACK_BUFFER));
    draw_texture();
    print_surface("its texture");
    eglSwapBuffers(egl.display, window);
    egl.use(pbuffer);
    draw_quarters(1);
    egl.use(window);
    draw_texture();
    print_surface("drawn to meanwhile");
    glGenTextures(1, &other);
    glBindTexture(GL_TEXTURE_2D, other);
    print_egl("no more a texture", eglReleaseTexImage(egl.display, pbuffer, EGL_BACK_BUFFER));
    print_egl("again one", eglBindTexImage(egl.display, pbuffer, EGL_BACK_BUFFER));
    draw_texture();
    print_surface("another texture");
    eglSwapBuffers(egl.display, window);
    egl.use(pbuffer);
    draw_quarters(0);
    glReadBuffer(GL_FRONT);
    glBindTexture(GL_TEXTURE_2D, name);
    glDeleteTextures(1, &other);
    egl.use(window);
    draw_texture();
    print_surface("beside one that is gone");
    glReadBuffer(GL_FRONT);
    print_egl("the end of a texture", eglBindTexImage(egl.display, pbuffer, EGL_BACK_BUFFER));
    glReadBuffer(GL_BACK);
    draw_texture();
    print_surface("read from the back buffer");
    print_egl("twice a texture", eglBindTexImage(egl.display, pbuffer, EGL_BACK_BUFFER));
    std::printf("OpenGL: 0x%x\n", glGetError());
    const EGLContext next = eglCreateContext(egl.display, egl.config, EGL_NO_CONTEXT, nullptr);
    eglMakeCurrent(egl.display, window, window, next);
    eglDestroyContext(egl.display, egl.context);
    print_egl("the end of a context", eglBindTexImage(egl.display, pbuffer, EGL_BACK_BUFFER));
    eglSwapBuffers(egl.display, window);
}

void copy(const Egl &egl) {
    const EGLSurface window = egl.surface();
    const Pixmap pixmap =
        XCreatePixmap(egl.shown.display, egl.shown.window, width, height, static_cast<unsigned>(egl.shown.depth));
    XSync(egl.shown.display, False);
    egl.use(window);
    draw_quarters(0);
    print_egl("a copy", eglCopyBuffers(egl.display, window, pixmap));
    print_pixmap("the copy", egl.shown.display, pixmap);
    glReadBuffer(GL_FRONT);
    draw_quarters(1);
    print_egl("a copy", eglCopyBuffers(egl.display, window, pixmap));
    print_pixmap("of the back buffer", egl.shown.display, pixmap);
    const Pixmap bits = XCreatePixmap(egl.shown.display, egl.shown.window, width, height, 1);
    XSync(egl.shown.display, False);
    print_egl("to a bitmap", eglCopyBuffers(egl.display, window, bits));
    print_egl("to nothing", eglCopyBuffers(egl.display, window, 1));
    eglSwapBuffers(egl.display, window);
    XDestroyWindow(egl.shown.display, egl.shown.window);
    XSync(egl.shown.display, False);
    print_egl("of a window that is gone", eglCopyBuffers(egl.display, window, pixmap));
}

void pixmap(const Egl &egl) {
    const Pixmap pixmap =
        XCreatePixmap(egl.shown.display, egl.shown.window, width, height, static_cast<unsigned>(egl.shown.depth));
    XSync(egl.shown.display, False);
    const EGLSurface surface = eglCreatePixmapSurface(egl.display, egl.config, pixmap, nullptr), window = egl.surface();
    EGLint buffer = 0;
    eglQuerySurface(egl.display, surface, EGL_RENDER_BUFFER, &buffer);
    std::printf("drawn to 0x%x\n", static_cast<unsigned>(buffer));
    egl.use(surface);
    print_egl("not drawn yet", eglWaitGL());
    print_pixmap("the pixmap", egl.shown.display, pixmap);
    draw_quarters(0);
    print_egl("drawn", eglWaitGL());
    print_pixmap("the pixmap", egl.shown.display, pixmap);
    egl.use(window);
    eglSwapBuffers(egl.display, window);
}

/// The same by GLX, whose functions that end drawing are those of OpenGL as well.
int glx(Display *display) {
    const int wanted[] = {GLX_DOUBLEBUFFER, False, GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PIXMAP_BIT,
                          GLX_X_VISUAL_TYPE, GLX_TRUE_COLOR, GLX_RED_SIZE, 8, None};
    int count = 0;
    GLXFBConfig *const configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    XVisualInfo *const visual = count ? glXGetVisualFromFBConfig(display, configs[0]) : nullptr;
    if (!visual)
        return 1;
    const Shown shown = make_window(display, visual->visualid);
    const Pixmap pixmap = XCreatePixmap(display, shown.window, width, height, static_cast<unsigned>(shown.depth));
    const GLXPixmap drawn = glXCreatePixmap(display, configs[0], pixmap, nullptr);
    const GLXContext context = glXCreateNewContext(display, configs[0], GLX_RGBA_TYPE, nullptr, True);
    glXMakeContextCurrent(display, drawn, drawn, context);
    draw_quarters(0);
    glXWaitGL();
    print_pixmap("after glXWaitGL", display, pixmap);
    draw_quarters(1);
    glFinish();
    print_pixmap("after glFinish", display, pixmap);
    draw_quarters(0.4f);
    glXMakeContextCurrent(display, shown.window, shown.window, context);
    print_pixmap("after another drawable", display, pixmap);
    draw_quarters(0);
    glFlush();
    return 0;
}

/// Drivers need not have formats that store colours as sRGB: Mesa 25 has none under Xvfb.
bool formats_have_srgb(Display *display) {
    const int wanted[] = {GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB, True, None};
    int count = 0;
    GLXFBConfig *const found = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    if (found)
        XFree(found);
    return count > 0;
}

/// OpenGL ES always stores colours as the surface has them.
void colours(const Egl &egl) {
    for (const EGLint wanted : {EGL_GL_COLORSPACE_SRGB, EGL_GL_COLORSPACE_LINEAR, EGL_GL_COLORSPACE_SRGB}) {
        const EGLint attributes[] = {EGL_GL_COLORSPACE, wanted, EGL_NONE};
        const EGLSurface window = egl.surface(attributes);
        if (window == EGL_NO_SURFACE)
            continue;
        EGLint found = 0;
        eglQuerySurface(egl.display, window, EGL_GL_COLORSPACE, &found);
        egl.use(window);
        draw_quarters(0.3f);
        print_surface(found == EGL_GL_COLORSPACE_SRGB ? "sRGB" : "linear");
        eglSwapBuffers(egl.display, window);
        egl.use(EGL_NO_SURFACE);
        eglDestroySurface(egl.display, window);
    }
    for (const EGLint wanted : {EGL_GL_COLORSPACE_SRGB, EGL_GL_COLORSPACE_SRGB, EGL_GL_COLORSPACE_LINEAR}) {
        const EGLint attributes[] = {EGL_GL_COLORSPACE, wanted, EGL_NONE};
        const EGLSurface window = egl.surface(attributes);
        if (window == EGL_NO_SURFACE)
            continue;
        egl.use(window); // the one before, which has been current up to here, ends
        egl.use(window);
        draw_quarters(0.3f);
        print_surface(wanted == EGL_GL_COLORSPACE_SRGB ? "sRGB after another" : "linear after another");
        eglSwapBuffers(egl.display, window);
        eglDestroySurface(egl.display, window);
    }
}

GLuint shader(GLenum stage, const char *text) {
    const GLuint made = glCreateShader(stage);
    glShaderSource(made, 1, &text, nullptr);
    glCompileShader(made);
    return made;
}

/// What OpenGL ES 3 has other rules or other names for.
void embedded(const Egl &egl) {
    const EGLSurface window = egl.surface();
    egl.use(window);
    GLuint samples = 0, colours = 0;
    glGenFramebuffers(1, &samples);
    glGenRenderbuffers(1, &colours);
    glBindFramebuffer(GL_FRAMEBUFFER, samples);
    glBindRenderbuffer(GL_RENDERBUFFER, colours);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours);
    draw_quarters(0);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    print_surface("of several samples");
    const auto box = reinterpret_cast<void (*)(GLuint, GLint, GLint, GLsizei, GLsizei)>(
        eglGetProcAddress("glScissorIndexedOES"));
    draw_quarters(1, [box](GLint x, GLint y, GLsizei w, GLsizei h) { box(0, x, y, w, h); });
    print_surface("by one of several boxes");
    GLfloat bounds[2] = {}, place[4] = {};
    glGetFloatv(GL_VIEWPORT_BOUNDS_RANGE, bounds);
    glViewport(INT_MAX, INT_MIN, width, height);
    glGetFloatv(GL_VIEWPORT, place);
    std::printf("a viewport is %s\n", place[0] == bounds[1] && place[1] == bounds[0] ? "within bounds" : "out of bounds");
    glViewport(0, 0, width, height);
    std::printf("OpenGL: 0x%x\n", glGetError());
    const GLuint program = glCreateProgram();
    glAttachShader(program, shader(GL_VERTEX_SHADER, "attribute vec4 at; void main() { gl_Position = at; }"));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER, "void main() { gl_FragColor = vec4(0, 1, 1, 1); }"));
    glBindAttribLocation(program, 0, "at");
    glLinkProgram(program);
    glUseProgram(program);
    const GLfloat corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
    const GLubyte order[] = {0, 1, 2, 3};
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    for (int i = 0; i < 20; ++i)
        glDrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_BYTE, order);
    print_surface("by indices");
    std::printf("OpenGL: 0x%x\n", glGetError());
    eglSwapBuffers(egl.display, window);
}

/// Surfaces that EGL does not make.
void refused(const Egl &egl) {
    const Pixmap pixmap =
        XCreatePixmap(egl.shown.display, egl.shown.window, width, height, static_cast<unsigned>(egl.shown.depth));
    XSync(egl.shown.display, False);
    using List = std::initializer_list<EGLint>;
    const auto pbuffer = [&egl](const char *what, List list) {
        print_egl(what, eglCreatePbufferSurface(egl.display, egl.config, list.begin()) != EGL_NO_SURFACE);
    };
    const auto on_pixmap = [&egl](const char *what, Pixmap name, List list) {
        print_egl(what, eglCreatePixmapSurface(egl.display, egl.config, name, list.begin()) != EGL_NO_SURFACE);
    };
    pbuffer("a negative size", {EGL_WIDTH, -1, EGL_NONE});
    pbuffer("an unknown attribute", {EGL_DEPTH_SIZE, 1, EGL_NONE});
    pbuffer("unknown colours", {EGL_GL_COLORSPACE, EGL_DEPTH_SIZE, EGL_NONE});
    pbuffer("an unknown texture", {EGL_TEXTURE_FORMAT, 1, EGL_TEXTURE_TARGET, EGL_TEXTURE_2D, EGL_NONE});
    pbuffer("an unknown target", {EGL_TEXTURE_FORMAT, EGL_TEXTURE_RGB, EGL_TEXTURE_TARGET, 1, EGL_NONE});
    print_egl("no format", eglCreatePbufferSurface(egl.display, nullptr, nullptr) != EGL_NO_SURFACE);
    on_pixmap("an unknown attribute of a pixmap", pixmap, {EGL_WIDTH, 1, EGL_NONE});
    on_pixmap("a window as a pixmap", egl.shown.window, {EGL_NONE});
    print_egl("no format of a pixmap", eglCreatePixmapSurface(egl.display, nullptr, pixmap, nullptr) != EGL_NO_SURFACE);
    const EGLAttrib srgb[] = {EGL_GL_COLORSPACE, EGL_GL_COLORSPACE_SRGB, EGL_NONE};
    Pixmap named = pixmap;
    const EGLSurface made = eglCreatePlatformPixmapSurface(egl.display, egl.config, &named, srgb);
    EGLint colours = 0;
    print_egl("a pixmap of a platform", made != EGL_NO_SURFACE);
    eglQuerySurface(egl.display, made, EGL_GL_COLORSPACE, &colours);
    std::printf("its colours: 0x%x\n", static_cast<unsigned>(colours));
    print_egl("a pixmap as a texture", eglBindTexImage(egl.display, made, EGL_BACK_BUFFER));
    const EGLSurface window = egl.surface();
    egl.use(window);
    draw_quarters(0);
    eglSwapBuffers(egl.display, window);
}

} // namespace

int main(int argc, char **argv) {
    Display *const display = XOpenDisplay(nullptr);
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (!display)
        return 1;
    std::printf("formats of sRGB: %s\n", formats_have_srgb(display) ? "yes" : "no");
    if (what == "glx")
        return glx(display);
    const bool is_es = what == "colours" || what == "es";
    const Egl egl(display, is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API, what == "es" ? 3 : is_es ? 2 : 1);
    what == "texture"   ? texture(egl)
    : what == "copy"    ? copy(egl)
    : what == "pixmap"  ? pixmap(egl)
    : what == "refused" ? refused(egl)
    : what == "es"      ? embedded(egl)
                        : colours(egl);
    return 0;
}
