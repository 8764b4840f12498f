// EGL's sync objects and waits: fences of the GL, on which the ranks agree.
#include "base/export.h"
#include "gl/context/context.h"
#include "system/x11/egl_objects.h"
#include "system/x11/gl_pixmaps.h"
#include "system/x11/x11.h"

#include <GL/gl.h>
#include <GL/glext.h>

using namespace mpiglut;
using namespace mpiglut::x11::egl;

namespace {

/// A fence has no attributes.
template <class Attribute> EGLSync create(EGLenum type, const Attribute *attributes) {
    if (attributes && attributes[0] != EGL_NONE)
        return refuse<EGLSync>(EGL_BAD_ATTRIBUTE);
    if (type != EGL_SYNC_FENCE)
        return refuse<EGLSync>(EGL_BAD_ATTRIBUTE);
    if (!here().context)
        return refuse<EGLSync>(EGL_BAD_MATCH);
    return succeed<EGLSync>(::glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0));
}

GLsync fence(EGLSync sync) { return static_cast<GLsync>(sync); }

/// Other contexts than the one that made it may ask, and those of OpenGL before 3.2 have no such function.
bool is_fence(EGLSync sync) { return sync && (!here().context || !REAL(glIsSync) || REAL(glIsSync)(fence(sync))); }

EGLint wait(EGLSync sync, EGLint flags, EGLTime timeout) {
    if (!is_fence(sync))
        return refuse<EGLint>(EGL_BAD_PARAMETER);
    const GLbitfield flush = flags & EGL_SYNC_FLUSH_COMMANDS_BIT ? GL_SYNC_FLUSH_COMMANDS_BIT : 0;
    switch (::glClientWaitSync(fence(sync), flush, timeout)) {
    case GL_ALREADY_SIGNALED:
    case GL_CONDITION_SATISFIED:
        return succeed<EGLint>(EGL_CONDITION_SATISFIED);
    case GL_TIMEOUT_EXPIRED:
        return succeed<EGLint>(EGL_TIMEOUT_EXPIRED);
    default:
        return refuse<EGLint>(EGL_BAD_PARAMETER);
    }
}

/// False for what is none of a fence's.
bool attribute(EGLSync sync, EGLint name, EGLAttrib &value) {
    GLint status = GL_UNSIGNALED;
    switch (name) {
    case EGL_SYNC_TYPE:
        value = EGL_SYNC_FENCE;
        return true;
    case EGL_SYNC_CONDITION:
        value = EGL_SYNC_PRIOR_COMMANDS_COMPLETE;
        return true;
    case EGL_SYNC_STATUS:
        ::glGetSynciv(fence(sync), GL_SYNC_STATUS, 1, nullptr, &status);
        value = status == GL_SIGNALED ? EGL_SIGNALED : EGL_UNSIGNALED;
        return true;
    default:
        return false;
    }
}

} // namespace

MPIGLUT_EXPORT EGLSync eglCreateSync(EGLDisplay display, EGLenum type, const EGLAttrib *attributes) {
    return find_display(display) ? create(type, attributes) : pass(REAL(eglCreateSync), display, type, attributes);
}

MPIGLUT_EXPORT EGLSyncKHR eglCreateSyncKHR(EGLDisplay display, EGLenum type, const EGLint *attributes) {
    return find_display(display) ? create(type, attributes) : pass(REAL(eglCreateSyncKHR), display, type, attributes);
}

MPIGLUT_EXPORT EGLBoolean eglDestroySync(EGLDisplay display, EGLSync sync) {
    if (!find_display(display))
        return pass(REAL(eglDestroySync), display, sync);
    if (!is_fence(sync))
        return refuse(EGL_BAD_PARAMETER);
    ::glDeleteSync(fence(sync));
    return succeed();
}

MPIGLUT_EXPORT EGLBoolean eglDestroySyncKHR(EGLDisplay display, EGLSyncKHR sync) {
    return find_display(display) ? ::eglDestroySync(display, sync) : pass(REAL(eglDestroySyncKHR), display, sync);
}

MPIGLUT_EXPORT EGLint eglClientWaitSync(EGLDisplay display, EGLSync sync, EGLint flags, EGLTime timeout) {
    return find_display(display) ? wait(sync, flags, timeout)
                                 : pass(REAL(eglClientWaitSync), display, sync, flags, timeout);
}

MPIGLUT_EXPORT EGLint eglClientWaitSyncKHR(EGLDisplay display, EGLSyncKHR sync, EGLint flags, EGLTimeKHR timeout) {
    return find_display(display) ? wait(sync, flags, timeout)
                                 : pass(REAL(eglClientWaitSyncKHR), display, sync, flags, timeout);
}

MPIGLUT_EXPORT EGLBoolean eglWaitSync(EGLDisplay display, EGLSync sync, EGLint flags) {
    if (!find_display(display))
        return pass(REAL(eglWaitSync), display, sync, flags);
    if (!is_fence(sync))
        return refuse(EGL_BAD_PARAMETER);
    ::glWaitSync(fence(sync), 0, GL_TIMEOUT_IGNORED);
    return succeed();
}

MPIGLUT_EXPORT EGLint eglWaitSyncKHR(EGLDisplay display, EGLSyncKHR sync, EGLint flags) {
    if (!find_display(display))
        return pass(REAL(eglWaitSyncKHR), display, sync, flags);
    if (!is_fence(sync))
        return refuse<EGLint>(EGL_BAD_PARAMETER);
    ::glWaitSync(fence(sync), 0, GL_TIMEOUT_IGNORED);
    return succeed<EGLint>(EGL_TRUE);
}

MPIGLUT_EXPORT EGLBoolean eglGetSyncAttrib(EGLDisplay display, EGLSync sync, EGLint name, EGLAttrib *value) {
    if (!find_display(display))
        return pass(REAL(eglGetSyncAttrib), display, sync, name, value);
    if (!is_fence(sync))
        return refuse(EGL_BAD_PARAMETER);
    return attribute(sync, name, *value) ? succeed() : refuse(EGL_BAD_ATTRIBUTE);
}

MPIGLUT_EXPORT EGLBoolean eglGetSyncAttribKHR(EGLDisplay display, EGLSyncKHR sync, EGLint name, EGLint *value) {
    if (!find_display(display))
        return pass(REAL(eglGetSyncAttribKHR), display, sync, name, value);
    EGLAttrib wide = 0;
    if (!is_fence(sync))
        return refuse(EGL_BAD_PARAMETER);
    if (!attribute(sync, name, wide))
        return refuse(EGL_BAD_ATTRIBUTE);
    *value = static_cast<EGLint>(wide);
    return succeed();
}

MPIGLUT_EXPORT EGLBoolean eglWaitClient(void) {
    if (!x11::active() || !here().context)
        return pass(REAL(eglWaitClient));
    REAL(glFinish)();
    x11::update_pixmap();
    return succeed();
}

MPIGLUT_EXPORT EGLBoolean eglWaitGL(void) {
    return x11::active() && here().context ? ::eglWaitClient() : pass(REAL(eglWaitGL));
}

MPIGLUT_EXPORT EGLBoolean eglWaitNative(EGLint engine) {
    return x11::active() && here().context ? succeed() : pass(REAL(eglWaitNative), engine);
}
