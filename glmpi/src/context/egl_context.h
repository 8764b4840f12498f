// Contexts without a window, from EGL: opened, listed, made.
#pragma once

#include "glmpi_context.h"

#include "base/status.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <memory>
#include <string>
#include <vector>

namespace glmpi {

/// What is used of EGL, which is opened when the first context is made: programs with contexts of GLX do without.
struct HeadlessEgl {
    decltype(&::eglGetProcAddress) lookup = nullptr;
    decltype(&::eglGetError) error = nullptr;
    decltype(&::eglQueryString) query_string = nullptr;
    decltype(&::eglGetDisplay) get_display = nullptr;
    decltype(&::eglInitialize) initialize = nullptr;
    decltype(&::eglBindAPI) bind_api = nullptr;
    decltype(&::eglChooseConfig) choose_config = nullptr;
    decltype(&::eglCreatePbufferSurface) create_pbuffer = nullptr;
    decltype(&::eglDestroySurface) destroy_surface = nullptr;
    decltype(&::eglCreateContext) create_context = nullptr;
    decltype(&::eglDestroyContext) destroy_context = nullptr;
    decltype(&::eglMakeCurrent) make_current = nullptr;
    decltype(&::eglGetCurrentContext) current_context = nullptr;
    decltype(&::eglGetCurrentDisplay) current_display = nullptr;
    decltype(&::eglGetCurrentSurface) current_surface = nullptr;
};
pixmpi::Status open_egl(const HeadlessEgl *&egl);

/// A place where a context may be.
struct HeadlessPlace {
    std::string name;
    EGLenum platform = 0; ///< 0: the default display
    void *device = nullptr;
    bool software = false;
};
/// In the order of trial. `wish`: as glMPI_Context_info::device, or empty.
pixmpi::Status headless_places(const HeadlessEgl &egl, const std::string &wish, std::vector<HeadlessPlace> &places);

/// EGL's displays are never closed: EGL has one object for all who ask for the same one, and the program may have it.
class HeadlessContext {
  public:
    static pixmpi::Status make(const glMPI_Context_info &info, const HeadlessContext *share,
                               std::unique_ptr<HeadlessContext> &context);
    ~HeadlessContext();
    HeadlessContext(const HeadlessContext &) = delete;
    HeadlessContext &operator=(const HeadlessContext &) = delete;

    pixmpi::Status make_current() const;
    const std::string &text() const { return text_; }
    EGLContext egl_context() const { return context_; }

  private:
    HeadlessContext(const HeadlessEgl &egl, const glMPI_Context_info &info, const HeadlessContext *share)
        : egl_(egl), info_(info), share_(share ? share->context_ : EGL_NO_CONTEXT) {}
    /// What went wrong, or nothing.
    std::string open(const HeadlessPlace &place);
    std::string choose_config();
    std::string create();
    void describe(const HeadlessPlace &place);
    std::string failed(const char *what) const;

    const HeadlessEgl &egl_;
    const glMPI_Context_info info_;
    const EGLContext share_;
    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLConfig config_ = nullptr;
    EGLContext context_ = EGL_NO_CONTEXT;
    EGLSurface surface_ = EGL_NO_SURFACE;
    std::string text_;
};

} // namespace glmpi
