// Where a wall has gaps, nothing is drawn, and what is read from there is zero. One window has no gaps, so they are
// zeroed before the program reads.
#include "oracle.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glut.h>
#include <GL/glx.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <vector>

namespace oracle {
namespace {

std::vector<std::array<int, 4>> read_gaps() {
    std::vector<std::array<int, 4>> gaps;
    std::istringstream text(setting("ORACLE_GAPS"));
    for (std::string one; std::getline(text, one, ';');)
        if (std::array<int, 4> r{}; std::sscanf(one.c_str(), "%d,%d,%d,%d", &r[0], &r[1], &r[2], &r[3]) == 4)
            gaps.push_back(r);
    return gaps;
}

void zero_gaps() {
    static const std::vector<std::array<int, 4>> gaps = read_gaps();
    GLint reads = 0, draws = 0;
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &reads);
    if (gaps.empty() || reads != 0)
        return;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draws);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glPushAttrib(GL_ALL_ATTRIB_BITS);
    glEnable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_TRUE);
    glStencilMask(~0u);
    glClearColor(0, 0, 0, 0);
    glClearDepth(0);
    glClearStencil(0);
    // The gaps are the first window's, which is as large as the screen; this may be another one in front of it.
    const int x = glutGet(GLUT_WINDOW_X);
    const int y = glutGet(GLUT_SCREEN_HEIGHT) - glutGet(GLUT_WINDOW_Y) - glutGet(GLUT_WINDOW_HEIGHT);
    for (const auto &gap : gaps) {
        glScissor(gap[0] - x, gap[1] - y, gap[2], gap[3]);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    }
    glPopAttrib();
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draws));
}

} // namespace
} // namespace oracle

#define READS(function, parameters, arguments)                                                                         \
    ORACLE_EXPORT void function parameters {                                                                           \
        oracle::zero_gaps();                                                                                           \
        ORACLE_NEXT(function) arguments;                                                                               \
    }
READS(glReadPixels, (GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type, void *data),
      (x, y, w, h, format, type, data))
READS(glCopyPixels, (GLint x, GLint y, GLsizei w, GLsizei h, GLenum what), (x, y, w, h, what))
READS(glCopyTexImage1D, (GLenum target, GLint level, GLenum format, GLint x, GLint y, GLsizei w, GLint border),
      (target, level, format, x, y, w, border))
READS(glCopyTexImage2D,
      (GLenum target, GLint level, GLenum format, GLint x, GLint y, GLsizei w, GLsizei h, GLint border),
      (target, level, format, x, y, w, h, border))
READS(glCopyTexSubImage1D, (GLenum target, GLint level, GLint at, GLint x, GLint y, GLsizei w),
      (target, level, at, x, y, w))
READS(glCopyTexSubImage2D, (GLenum target, GLint level, GLint tx, GLint ty, GLint x, GLint y, GLsizei w, GLsizei h),
      (target, level, tx, ty, x, y, w, h))
READS(glBlitFramebuffer,
      (GLint sx0, GLint sy0, GLint sx1, GLint sy1, GLint dx0, GLint dy0, GLint dx1, GLint dy1, GLbitfield mask,
       GLenum filter),
      (sx0, sy0, sx1, sy1, dx0, dy0, dx1, dy1, mask, filter))

READS(glCopyTextureSubImage2D,
      (GLuint texture, GLint level, GLint tx, GLint ty, GLint x, GLint y, GLsizei w, GLsizei h),
      (texture, level, tx, ty, x, y, w, h))
READS(glReadnPixels, (GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type, GLsizei size, void *data),
      (x, y, w, h, format, type, size, data))

ORACLE_EXPORT void glBlitNamedFramebuffer(GLuint from, GLuint to, GLint sx0, GLint sy0, GLint sx1, GLint sy1, GLint dx0,
                                          GLint dy0, GLint dx1, GLint dy1, GLbitfield mask, GLenum filter) {
    if (from == 0)
        oracle::zero_gaps();
    ORACLE_NEXT(glBlitNamedFramebuffer)(from, to, sx0, sy0, sx1, sy1, dx0, dy0, dx1, dy1, mask, filter);
}

/// For loaders.
ORACLE_EXPORT __GLXextFuncPtr glXGetProcAddressARB(const GLubyte *name) {
    if (std::strcmp(reinterpret_cast<const char *>(name), "glBlitFramebuffer") == 0)
        return reinterpret_cast<__GLXextFuncPtr>(&glBlitFramebuffer);
    return ORACLE_NEXT(glXGetProcAddressARB)(name);
}
