#include "context/egl_context.h"

#include "base/environment.h"
#include "base/handles.h"
#include "base/struct_size.h"
#include "device/gl_contexts.h"

#include <cstdio>
#include <span>

namespace glmpi {

using pixmpi::fail;
using pixmpi::Status;

namespace {

constexpr unsigned gl_renderer = 0x1F01, gl_major = 0x821B, gl_minor = 0x821C;

pixmpi::HandleTable<HeadlessContext> &made_contexts() {
    static auto *const one = new pixmpi::HandleTable<HeadlessContext>(0x83);
    return *one;
}

Status find_context(glMPI_Context handle, const char *name, std::shared_ptr<HeadlessContext> &context) {
    context = made_contexts().find(handle);
    return context ? PIXMPI_SUCCESS
                   : fail(PIXMPI_ERR_ARGUMENT, "%s: %s, expected one of glMPI_Context_create", name,
                          handle ? "foreign or destroyed" : "GLMPI_CONTEXT_NULL");
}

Status check_info(const glMPI_Context_info &info) {
    for (const auto &[name, value] : {std::pair{"major", info.major}, std::pair{"minor", info.minor},
                                      std::pair{"width", info.width}, std::pair{"height", info.height}})
        if (value < 0)
            return fail(PIXMPI_ERR_ARGUMENT, "info.%s: %d, expected none or more", name, value);
    if (!info.width != !info.height)
        return fail(PIXMPI_ERR_ARGUMENT, "info.%s: 0, expected pixels, as the other side has",
                    info.width ? "height" : "width");
    return PIXMPI_SUCCESS;
}

/// What this thread has, put back at the end.
class CurrentEgl {
  public:
    explicit CurrentEgl(const HeadlessEgl &egl)
        : egl_(egl), display_(egl.current_display()), draw_(egl.current_surface(EGL_DRAW)),
          read_(egl.current_surface(EGL_READ)), context_(egl.current_context()) {}
    bool is(const HeadlessContext &context) const { return context.egl_context() == context_; }
    void put_back() const {
        if (context_ != EGL_NO_CONTEXT)
            egl_.make_current(display_, draw_, read_, context_);
        else if (egl_.current_context() != EGL_NO_CONTEXT)
            egl_.make_current(egl_.current_display(), EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }

  private:
    const HeadlessEgl &egl_;
    const EGLDisplay display_;
    const EGLSurface draw_, read_;
    const EGLContext context_;
};

} // namespace

std::string HeadlessContext::failed(const char *what) const {
    char text[80];
    std::snprintf(text, sizeof text, "%s failed with EGL error 0x%04x", what, static_cast<unsigned>(egl_.error()));
    return text;
}

std::string HeadlessContext::open(const HeadlessPlace &place) {
    const auto of_platform = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(egl_.lookup("eglGetPlatformDisplayEXT"));
    if (place.platform == 0)
        display_ = egl_.get_display(EGL_DEFAULT_DISPLAY);
    else if (of_platform)
        display_ = of_platform(place.platform, place.device, nullptr);
    if (display_ == EGL_NO_DISPLAY || !egl_.initialize(display_, nullptr, nullptr))
        return failed("eglInitialize");
    if (!egl_.bind_api(EGL_OPENGL_API))
        return failed("eglBindAPI(EGL_OPENGL_API)");
    std::string problem = choose_config();
    if (problem.empty())
        problem = create();
    if (problem.empty() && !egl_.make_current(display_, surface_, surface_, context_))
        problem = failed("eglMakeCurrent");
    if (problem.empty())
        describe(place);
    return problem;
}

std::string HeadlessContext::choose_config() {
    const char *const extensions = egl_.query_string(display_, EGL_EXTENSIONS);
    if (!info_.width && (!extensions || !std::strstr(extensions, "EGL_KHR_surfaceless_context")))
        return "it wants a window (no EGL_KHR_surfaceless_context)";
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             info_.width ? EGL_PBUFFER_BIT : 0,
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
    EGLint count = 0;
    if (!egl_.choose_config(display_, wanted, &config_, 1, &count) || count < 1)
        return "it has no RGBA8 configuration for OpenGL";
    if (!info_.width)
        return "";
    const EGLint size[] = {EGL_WIDTH, info_.width, EGL_HEIGHT, info_.height, EGL_NONE};
    surface_ = egl_.create_pbuffer(display_, config_, size);
    return surface_ == EGL_NO_SURFACE ? failed("eglCreatePbufferSurface") : "";
}

std::string HeadlessContext::create() {
    static constexpr int newest_first[][2] = {{4, 6}, {4, 5}, {4, 4}, {4, 3}, {4, 2}, {4, 1}, {4, 0}, {3, 3}};
    const int asked_for[][2] = {{info_.major, info_.minor}};
    for (const auto &version : info_.major ? std::span<const int[2]>(asked_for) : std::span(newest_first)) {
        const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                     version[0],
                                     EGL_CONTEXT_MINOR_VERSION,
                                     version[1],
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                     info_.compatibility ? EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
                                                         : EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                     info_.debug ? EGL_CONTEXT_OPENGL_DEBUG : EGL_NONE,
                                     EGL_TRUE,
                                     EGL_NONE};
        context_ = egl_.create_context(display_, config_, share_, attributes);
        if (context_ != EGL_NO_CONTEXT)
            return "";
    }
    return failed("eglCreateContext");
}

void HeadlessContext::describe(const HeadlessPlace &place) {
    const auto integer = reinterpret_cast<void (*)(unsigned, int *)>(egl_.lookup("glGetIntegerv"));
    const auto string = reinterpret_cast<const unsigned char *(*)(unsigned)>(egl_.lookup("glGetString"));
    int major = 0, minor = 0;
    integer(gl_major, &major);
    integer(gl_minor, &minor);
    const auto *const renderer = reinterpret_cast<const char *>(string(gl_renderer));
    text_ = place.name + (info_.compatibility ? ", compatibility" : ", core") + " profile " + std::to_string(major) +
            "." + std::to_string(minor) + ", " + (renderer ? renderer : "?");
}

Status HeadlessContext::make(const glMPI_Context_info &info, const HeadlessContext *share,
                             std::unique_ptr<HeadlessContext> &context) {
    const HeadlessEgl *egl = nullptr;
    if (const Status status = open_egl(egl))
        return status;
    const char *const wish = std::getenv("PIXMPI_GL_DEVICE");
    std::vector<HeadlessPlace> places;
    if (const Status status = headless_places(*egl, wish && *wish ? wish : info.device ? info.device : "", places))
        return status;
    const CurrentEgl before(*egl);
    std::string tried;
    for (const HeadlessPlace &place : places) {
        std::unique_ptr<HeadlessContext> one(new HeadlessContext(*egl, info, share));
        const std::string problem = one->open(place);
        if (problem.empty()) {
            context = std::move(one);
            return PIXMPI_SUCCESS;
        }
        tried += (tried.empty() ? "" : "; ") + place.name + ": " + problem;
    }
    before.put_back();
    return fail(PIXMPI_ERR_DEVICE, "EGL: no OpenGL context without a window, %s profile, version %s; tried: %s",
                info.compatibility ? "compatibility" : "core",
                info.major ? (std::to_string(info.major) + "." + std::to_string(info.minor)).c_str() : "3.3 to 4.6",
                tried.empty() ? "none" : tried.c_str());
}

HeadlessContext::~HeadlessContext() {
    if (context_ != EGL_NO_CONTEXT && egl_.current_context() == context_)
        egl_.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (surface_ != EGL_NO_SURFACE)
        egl_.destroy_surface(display_, surface_);
    if (context_ != EGL_NO_CONTEXT)
        egl_.destroy_context(display_, context_);
}

Status HeadlessContext::make_current() const {
    return egl_.bind_api(EGL_OPENGL_API) && egl_.make_current(display_, surface_, surface_, context_)
               ? PIXMPI_SUCCESS
               : fail(PIXMPI_ERR_DEVICE, "context: %s", failed("eglMakeCurrent").c_str());
}

} // namespace glmpi

using namespace glmpi;
using pixmpi::call_without_lock;
using pixmpi::public_call;

int glMPI_Context_create(const glMPI_Context_info *info, glMPI_Context *context) {
    return call_without_lock("glMPI_Context_create", [&]() -> Status {
        glMPI_Context_info known;
        std::shared_ptr<HeadlessContext> share;
        std::unique_ptr<HeadlessContext> made;
        if (!context)
            return fail(PIXMPI_ERR_ARGUMENT, "context: null, expected a pointer to a handle");
        if (const Status status = pixmpi::read_struct("info", info, known))
            return status;
        if (const Status status = check_info(known))
            return status;
        if (known.share)
            if (const Status status = find_context(known.share, "info.share", share))
                return status;
        if (const Status status = HeadlessContext::make(known, share.get(), made))
            return status;
        *context = static_cast<glMPI_Context>(made_contexts().insert(std::move(made)));
        return PIXMPI_SUCCESS;
    });
}

int glMPI_Context_bind(glMPI_Context context) {
    return call_without_lock("glMPI_Context_bind", [&]() -> Status {
        if (context == GLMPI_CONTEXT_NULL) {
            const HeadlessEgl *egl = nullptr;
            if (const Status status = open_egl(egl))
                return status;
            if (egl->current_context() != EGL_NO_CONTEXT)
                egl->make_current(egl->current_display(), EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            return PIXMPI_SUCCESS;
        }
        std::shared_ptr<HeadlessContext> found;
        if (const Status status = find_context(context, "context", found))
            return status;
        return found->make_current();
    });
}

int glMPI_Context_text(glMPI_Context context, const char **text) {
    return call_without_lock("glMPI_Context_text", [&]() -> Status {
        std::shared_ptr<HeadlessContext> found;
        if (!text)
            return fail(PIXMPI_ERR_ARGUMENT, "text: null, expected a pointer");
        if (const Status status = find_context(context, "context", found))
            return status;
        *text = found->text().c_str();
        return PIXMPI_SUCCESS;
    });
}

void *glMPI_Context_function(const char *name) {
    const HeadlessEgl *egl = nullptr;
    return name && open_egl(egl) == PIXMPI_SUCCESS ? reinterpret_cast<void *>(egl->lookup(name)) : nullptr;
}

int glMPI_Context_free(glMPI_Context *context) {
    return public_call("glMPI_Context_free", [&]() -> Status {
        std::shared_ptr<HeadlessContext> found;
        if (!context)
            return fail(PIXMPI_ERR_ARGUMENT, "context: null, expected a pointer to a handle");
        if (const Status status = find_context(*context, "context", found))
            return status;
        const HeadlessEgl *egl = nullptr;
        if (const Status status = open_egl(egl))
            return status;
        const CurrentEgl before(*egl);
        const bool current = before.is(*found);
        if (const Status status = found->make_current())
            return status;
        const Status status = release_current();
        if (!status) {
            made_contexts().erase(*context);
            *context = GLMPI_CONTEXT_NULL;
            found.reset();
        }
        if (!current)
            before.put_back();
        return status;
    });
}
