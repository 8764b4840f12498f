#include "headless.h"

#include "gl_api.h"

#include <cstdio>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace demo {

namespace {

/// A display that is available. EGL has one object for all uses of it, so the last of ours closes it.
struct Display {
    EGLDisplay egl;
    explicit Display(EGLDisplay d) : egl(d) {}
    ~Display() { eglTerminate(egl); }
};

std::shared_ptr<Display> open_display(EGLDisplay egl) {
    static std::map<EGLDisplay, std::weak_ptr<Display>> open;
    if (auto known = open[egl].lock())
        return known;
    if (egl == EGL_NO_DISPLAY || !eglInitialize(egl, nullptr, nullptr))
        return nullptr;
    auto display = std::make_shared<Display>(egl);
    open[egl] = display;
    return display;
}

bool has(const char *extensions, std::string_view name) {
    for (std::string_view rest = extensions ? extensions : ""; !rest.empty();) {
        const auto end = rest.find(' ');
        if (rest.substr(0, end) == name)
            return true;
        rest = end == rest.npos ? "" : rest.substr(end + 1);
    }
    return false;
}

struct Candidate {
    std::string name;
    EGLenum platform; ///< 0: the default display
    void *device;
};

/// Cards first, beginning with number `card`, then what the CPU draws, then whatever EGL calls its default.
std::vector<Candidate> candidates(int card) {
    std::vector<Candidate> cards, rest;
    const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const auto query_devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
    const auto query_string =
        reinterpret_cast<PFNEGLQUERYDEVICESTRINGEXTPROC>(eglGetProcAddress("eglQueryDeviceStringEXT"));
    if (has(extensions, "EGL_EXT_platform_device") && query_devices && query_string) {
        EGLDeviceEXT devices[64];
        EGLint count = 0;
        if (!query_devices(64, devices, &count))
            count = 0;
        for (int i = 0; i < count; ++i) {
            const bool software = has(query_string(devices[i], EGL_EXTENSIONS), "EGL_MESA_device_software");
            (software ? rest : cards)
                .push_back({"EGL device " + std::to_string(i), EGL_PLATFORM_DEVICE_EXT, devices[i]});
        }
    }
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < cards.size(); ++i)
        all.push_back(cards[(i + static_cast<std::size_t>(card)) % cards.size()]);
    all.insert(all.end(), rest.begin(), rest.end());
    if (has(extensions, "EGL_MESA_platform_surfaceless"))
        all.push_back({"EGL surfaceless", EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY});
    all.push_back({"EGL default display", 0, EGL_DEFAULT_DISPLAY});
    return all;
}

std::shared_ptr<Display> open_display(const Candidate &candidate) {
    if (candidate.platform == 0)
        return open_display(eglGetDisplay(EGL_DEFAULT_DISPLAY));
    const auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    return get ? open_display(get(candidate.platform, candidate.device, nullptr)) : nullptr;
}

void GLAPIENTRY hear(GLenum, GLenum type, GLuint, GLenum, GLsizei, const GLchar *text, const void *on_error) {
    if (type == GL_DEBUG_TYPE_ERROR)
        (*static_cast<void (*const *)(const char *)>(on_error))(text);
}

/// Of the context that is current; without KHR_debug there are no reports.
void listen(void (*const *on_error)(const char *)) {
    const auto set = reinterpret_cast<PFNGLDEBUGMESSAGECALLBACKPROC>(eglGetProcAddress("glDebugMessageCallback"));
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    if (set && glGetError() == GL_NO_ERROR)
        set(hear, on_error);
}

std::string failed(const char *what) {
    char text[80];
    std::snprintf(text, sizeof text, "%s failed with EGL error 0x%04x", what, static_cast<unsigned>(eglGetError()));
    return text;
}

} // namespace

struct Headless::Parts {
    std::shared_ptr<Display> display;
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE;
    void (*on_error)(const char *) = nullptr;

    ~Parts() {
        if (!display)
            return;
        if (context != EGL_NO_CONTEXT && eglGetCurrentContext() == context)
            eglMakeCurrent(display->egl, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (surface != EGL_NO_SURFACE)
            eglDestroySurface(display->egl, surface);
        if (context != EGL_NO_CONTEXT)
            eglDestroyContext(display->egl, context);
    }

    /// What went wrong, or nothing.
    std::string make(const HeadlessOptions &options) {
        const EGLDisplay egl = display->egl;
        const bool framebuffer = options.width > 0 && options.height > 0;
        if (!framebuffer && !has(eglQueryString(egl, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context"))
            return "it wants a window (no EGL_KHR_surfaceless_context)";
        if (!eglBindAPI(EGL_OPENGL_API))
            return failed("eglBindAPI(EGL_OPENGL_API)");
        const EGLint wanted[] = {EGL_SURFACE_TYPE,
                                 framebuffer ? EGL_PBUFFER_BIT : 0,
                                 EGL_RENDERABLE_TYPE,
                                 EGL_OPENGL_BIT,
                                 EGL_RED_SIZE,
                                 8,
                                 EGL_GREEN_SIZE,
                                 8,
                                 EGL_BLUE_SIZE,
                                 8,
                                 EGL_ALPHA_SIZE,
                                 8,
                                 EGL_DEPTH_SIZE,
                                 24,
                                 EGL_STENCIL_SIZE,
                                 8,
                                 EGL_NONE};
        EGLConfig config = nullptr;
        EGLint count = 0;
        if (!eglChooseConfig(egl, wanted, &config, 1, &count) || count < 1)
            return "it has no RGBA8 configuration for OpenGL";
        if (framebuffer) {
            const EGLint size[] = {EGL_WIDTH, options.width, EGL_HEIGHT, options.height, EGL_NONE};
            surface = eglCreatePbufferSurface(egl, config, size);
            if (surface == EGL_NO_SURFACE)
                return failed("eglCreatePbufferSurface");
        }
        static constexpr int newest_first[][2] = {{4, 6}, {4, 5}, {4, 4}, {4, 3}, {4, 2}, {4, 1}, {4, 0}, {3, 3}};
        const int asked_for[][2] = {{options.major, options.minor}};
        for (const auto &version :
             options.major ? std::span<const int[2]>(asked_for) : std::span<const int[2]>(newest_first)) {
            const EGLint profile = options.compatibility ? EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
                                                         : EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT;
            const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                         version[0],
                                         EGL_CONTEXT_MINOR_VERSION,
                                         version[1],
                                         EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                         profile,
                                         options.on_error ? EGL_CONTEXT_OPENGL_DEBUG : EGL_NONE,
                                         EGL_TRUE,
                                         EGL_NONE};
            const EGLContext other = options.share ? options.share->parts_->context : EGL_NO_CONTEXT;
            context = eglCreateContext(egl, config, other, attributes);
            if (context != EGL_NO_CONTEXT)
                break;
        }
        if (context == EGL_NO_CONTEXT)
            return failed("eglCreateContext");
        if (!eglMakeCurrent(egl, surface, surface, context))
            return failed("eglMakeCurrent");
        on_error = options.on_error;
        if (on_error)
            listen(&on_error);
        return "";
    }
};

Headless::Headless(std::unique_ptr<Parts> parts, std::string text) : parts_(std::move(parts)), text_(std::move(text)) {}

Headless::~Headless() = default;

std::unique_ptr<Headless> Headless::make(const HeadlessOptions &options, std::string &error) {
    std::string tried;
    for (const Candidate &candidate : candidates(options.card < 0 ? 0 : options.card)) {
        auto parts = std::make_unique<Parts>();
        parts->display = open_display(candidate);
        const std::string problem = parts->display ? parts->make(options) : failed("opening it");
        if (problem.empty()) {
            int major = 0, minor = 0;
            glGetIntegerv(GL_MAJOR_VERSION, &major);
            glGetIntegerv(GL_MINOR_VERSION, &minor);
            const auto *renderer = reinterpret_cast<const char *>(glGetString(GL_RENDERER));
            std::string text = candidate.name + (options.compatibility ? ", compatibility" : ", core") + " profile " +
                               std::to_string(major) + "." + std::to_string(minor) + ", " + (renderer ? renderer : "?");
            return std::unique_ptr<Headless>(new Headless(std::move(parts), std::move(text)));
        }
        tried += "\n    " + candidate.name + ": " + problem;
    }
    error = "no OpenGL context without a window, " +
            (options.major ? "version " + std::to_string(options.major) + "." + std::to_string(options.minor)
                           : std::string("version 3.3 to 4.6")) +
            (options.compatibility ? ", compatibility profile" : ", core profile") + "; tried:" + tried;
    return nullptr;
}

std::array<unsigned char, 16> Headless::card_uuid() const {
    std::array<unsigned char, 16> uuid{};
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    const auto get = reinterpret_cast<PFNGLGETUNSIGNEDBYTEI_VEXTPROC>(eglGetProcAddress("glGetUnsignedBytei_vEXT"));
    for (GLint i = 0; get && i < count; ++i)
        if (std::string_view(reinterpret_cast<const char *>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)))) ==
            "GL_EXT_memory_object")
            get(GL_DEVICE_UUID_EXT, 0, uuid.data());
    return uuid;
}

bool Headless::make_current() const {
    return eglBindAPI(EGL_OPENGL_API) &&
           eglMakeCurrent(parts_->display->egl, parts_->surface, parts_->surface, parts_->context);
}

void Headless::release_current() const {
    eglMakeCurrent(parts_->display->egl, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

} // namespace demo
