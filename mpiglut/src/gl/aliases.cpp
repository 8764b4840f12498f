// Other spellings of wrapped functions. Written by entry_points.py; do not edit.
#include "base/export.h"

#include <GL/gl.h>
#include <GL/glext.h>

// clang-format off
MPIGLUT_EXPORT void glBlitFramebufferNV(GLint srcX0, GLint srcY0, GLint srcX1, GLint srcY1, GLint dstX0, GLint dstY0,
    GLint dstX1, GLint dstY1, GLbitfield mask, GLenum filter) { glBlitFramebuffer(srcX0, srcY0, srcX1, srcY1, dstX0,
    dstY0, dstX1, dstY1, mask, filter); }
MPIGLUT_EXPORT void glBufferStorageEXT(GLenum target, GLsizeiptr size, const void *data, GLbitfield flags) {
    glBufferStorage(target, size, data, flags); }
MPIGLUT_EXPORT GLenum glClientWaitSyncAPPLE(GLsync sync, GLbitfield flags, GLuint64 timeout) { return
    glClientWaitSync(sync, flags, timeout); }
MPIGLUT_EXPORT void glClipControlEXT(GLenum origin, GLenum depth) { glClipControl(origin, depth); }
MPIGLUT_EXPORT void glCopyBufferSubDataNV(GLenum readTarget, GLenum writeTarget, GLintptr readOffset, GLintptr
    writeOffset, GLsizeiptr size) { glCopyBufferSubData(readTarget, writeTarget, readOffset, writeOffset, size); }
MPIGLUT_EXPORT void glDeleteRenderbuffersEXT(GLsizei n, const GLuint *renderbuffers) { glDeleteRenderbuffers(n,
    renderbuffers); }
MPIGLUT_EXPORT void glDeleteSyncAPPLE(GLsync sync) { glDeleteSync(sync); }
MPIGLUT_EXPORT void glDisableIndexedEXT(GLenum target, GLuint index) { glDisablei(target, index); }
MPIGLUT_EXPORT void glDisableiEXT(GLenum target, GLuint index) { glDisablei(target, index); }
MPIGLUT_EXPORT void glDisableiNV(GLenum target, GLuint index) { glDisablei(target, index); }
MPIGLUT_EXPORT void glDisableiOES(GLenum target, GLuint index) { glDisablei(target, index); }
MPIGLUT_EXPORT void glDrawArraysInstancedANGLE(GLenum mode, GLint first, GLsizei count, GLsizei primcount) {
    glDrawArraysInstanced(mode, first, count, primcount); }
MPIGLUT_EXPORT void glDrawArraysInstancedBaseInstanceEXT(GLenum mode, GLint first, GLsizei count, GLsizei instancecount,
    GLuint baseinstance) { glDrawArraysInstancedBaseInstance(mode, first, count, instancecount, baseinstance); }
MPIGLUT_EXPORT void glDrawArraysInstancedNV(GLenum mode, GLint first, GLsizei count, GLsizei primcount) {
    glDrawArraysInstanced(mode, first, count, primcount); }
MPIGLUT_EXPORT void glDrawBuffersARB(GLsizei n, const GLenum *bufs) { glDrawBuffers(n, bufs); }
MPIGLUT_EXPORT void glDrawBuffersATI(GLsizei n, const GLenum *bufs) { glDrawBuffers(n, bufs); }
MPIGLUT_EXPORT void glDrawBuffersEXT(GLsizei n, const GLenum *bufs) { glDrawBuffers(n, bufs); }
MPIGLUT_EXPORT void glDrawElementsBaseVertexEXT(GLenum mode, GLsizei count, GLenum type, const void *indices, GLint
    basevertex) { glDrawElementsBaseVertex(mode, count, type, indices, basevertex); }
MPIGLUT_EXPORT void glDrawElementsBaseVertexOES(GLenum mode, GLsizei count, GLenum type, const void *indices, GLint
    basevertex) { glDrawElementsBaseVertex(mode, count, type, indices, basevertex); }
MPIGLUT_EXPORT void glDrawElementsInstancedANGLE(GLenum mode, GLsizei count, GLenum type, const void *indices, GLsizei
    primcount) { glDrawElementsInstanced(mode, count, type, indices, primcount); }
MPIGLUT_EXPORT void glDrawElementsInstancedBaseInstanceEXT(GLenum mode, GLsizei count, GLenum type, const void *indices,
    GLsizei instancecount, GLuint baseinstance) { glDrawElementsInstancedBaseInstance(mode, count, type, indices,
    instancecount, baseinstance); }
MPIGLUT_EXPORT void glDrawElementsInstancedBaseVertexBaseInstanceEXT(GLenum mode, GLsizei count, GLenum type, const void
    *indices, GLsizei instancecount, GLint basevertex, GLuint baseinstance) {
    glDrawElementsInstancedBaseVertexBaseInstance(mode, count, type, indices, instancecount, basevertex, baseinstance);
    }
MPIGLUT_EXPORT void glDrawElementsInstancedBaseVertexEXT(GLenum mode, GLsizei count, GLenum type, const void *indices,
    GLsizei instancecount, GLint basevertex) { glDrawElementsInstancedBaseVertex(mode, count, type, indices,
    instancecount, basevertex); }
MPIGLUT_EXPORT void glDrawElementsInstancedBaseVertexOES(GLenum mode, GLsizei count, GLenum type, const void *indices,
    GLsizei instancecount, GLint basevertex) { glDrawElementsInstancedBaseVertex(mode, count, type, indices,
    instancecount, basevertex); }
MPIGLUT_EXPORT void glDrawElementsInstancedNV(GLenum mode, GLsizei count, GLenum type, const void *indices, GLsizei
    primcount) { glDrawElementsInstanced(mode, count, type, indices, primcount); }
MPIGLUT_EXPORT void glDrawRangeElementsBaseVertexEXT(GLenum mode, GLuint start, GLuint end, GLsizei count, GLenum type,
    const void *indices, GLint basevertex) { glDrawRangeElementsBaseVertex(mode, start, end, count, type, indices,
    basevertex); }
MPIGLUT_EXPORT void glDrawRangeElementsBaseVertexOES(GLenum mode, GLuint start, GLuint end, GLsizei count, GLenum type,
    const void *indices, GLint basevertex) { glDrawRangeElementsBaseVertex(mode, start, end, count, type, indices,
    basevertex); }
MPIGLUT_EXPORT void glDrawTransformFeedbackEXT(GLenum mode, GLuint id) { glDrawTransformFeedback(mode, id); }
MPIGLUT_EXPORT void glDrawTransformFeedbackInstancedEXT(GLenum mode, GLuint id, GLsizei instancecount) {
    glDrawTransformFeedbackInstanced(mode, id, instancecount); }
MPIGLUT_EXPORT void glDrawTransformFeedbackNV(GLenum mode, GLuint id) { glDrawTransformFeedback(mode, id); }
MPIGLUT_EXPORT void glEnableIndexedEXT(GLenum target, GLuint index) { glEnablei(target, index); }
MPIGLUT_EXPORT void glEnableiEXT(GLenum target, GLuint index) { glEnablei(target, index); }
MPIGLUT_EXPORT void glEnableiNV(GLenum target, GLuint index) { glEnablei(target, index); }
MPIGLUT_EXPORT void glEnableiOES(GLenum target, GLuint index) { glEnablei(target, index); }
MPIGLUT_EXPORT void glFlushMappedBufferRangeEXT(GLenum target, GLintptr offset, GLsizeiptr length) {
    glFlushMappedBufferRange(target, offset, length); }
MPIGLUT_EXPORT void glFramebufferRenderbufferEXT(GLenum target, GLenum attachment, GLenum renderbuffertarget, GLuint
    renderbuffer) { glFramebufferRenderbuffer(target, attachment, renderbuffertarget, renderbuffer); }
MPIGLUT_EXPORT void glFramebufferTexture1DEXT(GLenum target, GLenum attachment, GLenum textarget, GLuint texture, GLint
    level) { glFramebufferTexture1D(target, attachment, textarget, texture, level); }
MPIGLUT_EXPORT void glFramebufferTexture2DEXT(GLenum target, GLenum attachment, GLenum textarget, GLuint texture, GLint
    level) { glFramebufferTexture2D(target, attachment, textarget, texture, level); }
MPIGLUT_EXPORT void glFramebufferTexture3DEXT(GLenum target, GLenum attachment, GLenum textarget, GLuint texture, GLint
    level, GLint zoffset) { glFramebufferTexture3D(target, attachment, textarget, texture, level, zoffset); }
MPIGLUT_EXPORT void glFramebufferTextureARB(GLenum target, GLenum attachment, GLuint texture, GLint level) {
    glFramebufferTexture(target, attachment, texture, level); }
MPIGLUT_EXPORT void glFramebufferTextureEXT(GLenum target, GLenum attachment, GLuint texture, GLint level) {
    glFramebufferTexture(target, attachment, texture, level); }
MPIGLUT_EXPORT void glFramebufferTextureLayerARB(GLenum target, GLenum attachment, GLuint texture, GLint level, GLint
    layer) { glFramebufferTextureLayer(target, attachment, texture, level, layer); }
MPIGLUT_EXPORT void glFramebufferTextureLayerEXT(GLenum target, GLenum attachment, GLuint texture, GLint level, GLint
    layer) { glFramebufferTextureLayer(target, attachment, texture, level, layer); }
MPIGLUT_EXPORT void glFramebufferTextureOES(GLenum target, GLenum attachment, GLuint texture, GLint level) {
    glFramebufferTexture(target, attachment, texture, level); }
MPIGLUT_EXPORT void glGetBufferSubDataARB(GLenum target, GLintptrARB offset, GLsizeiptrARB size, void *data) {
    glGetBufferSubData(target, offset, size, data); }
MPIGLUT_EXPORT void glGetFloati_vNV(GLenum target, GLuint index, GLfloat *data) { glGetFloati_v(target, index, data); }
MPIGLUT_EXPORT void glGetFloati_vOES(GLenum target, GLuint index, GLfloat *data) { glGetFloati_v(target, index, data); }
MPIGLUT_EXPORT void glGetInteger64vAPPLE(GLenum pname, GLint64 *params) { glGetInteger64v(pname, params); }
MPIGLUT_EXPORT void glGetInteger64vEXT(GLenum pname, GLint64 *data) { glGetInteger64v(pname, data); }
MPIGLUT_EXPORT void glGetProgramBinaryOES(GLuint program, GLsizei bufSize, GLsizei *length, GLenum *binaryFormat, void
    *binary) { glGetProgramBinary(program, bufSize, length, binaryFormat, binary); }
MPIGLUT_EXPORT void glGetQueryObjectivEXT(GLuint id, GLenum pname, GLint *params) { glGetQueryObjectiv(id, pname,
    params); }
MPIGLUT_EXPORT void glGetSyncivAPPLE(GLsync sync, GLenum pname, GLsizei count, GLsizei *length, GLint *values) {
    glGetSynciv(sync, pname, count, length, values); }
MPIGLUT_EXPORT GLboolean glIsEnabledIndexedEXT(GLenum target, GLuint index) { return glIsEnabledi(target, index); }
MPIGLUT_EXPORT GLboolean glIsEnablediEXT(GLenum target, GLuint index) { return glIsEnabledi(target, index); }
MPIGLUT_EXPORT GLboolean glIsEnablediNV(GLenum target, GLuint index) { return glIsEnabledi(target, index); }
MPIGLUT_EXPORT GLboolean glIsEnablediOES(GLenum target, GLuint index) { return glIsEnabledi(target, index); }
MPIGLUT_EXPORT void * glMapBufferOES(GLenum target, GLenum access) { return glMapBuffer(target, access); }
MPIGLUT_EXPORT void * glMapBufferRangeEXT(GLenum target, GLintptr offset, GLsizeiptr length, GLbitfield access) { return
    glMapBufferRange(target, offset, length, access); }
MPIGLUT_EXPORT void glMemoryBarrierEXT(GLbitfield barriers) { glMemoryBarrier(barriers); }
MPIGLUT_EXPORT void glMultiDrawArraysIndirectAMD(GLenum mode, const void *indirect, GLsizei primcount, GLsizei stride) {
    glMultiDrawArraysIndirect(mode, indirect, primcount, stride); }
MPIGLUT_EXPORT void glMultiDrawArraysIndirectEXT(GLenum mode, const void *indirect, GLsizei drawcount, GLsizei stride) {
    glMultiDrawArraysIndirect(mode, indirect, drawcount, stride); }
MPIGLUT_EXPORT void glMultiDrawElementsBaseVertexEXT(GLenum mode, const GLsizei *count, GLenum type, const void
    *const*indices, GLsizei drawcount, const GLint *basevertex) { glMultiDrawElementsBaseVertex(mode, count, type,
    indices, drawcount, basevertex); }
MPIGLUT_EXPORT void glMultiDrawElementsIndirectAMD(GLenum mode, GLenum type, const void *indirect, GLsizei primcount,
    GLsizei stride) { glMultiDrawElementsIndirect(mode, type, indirect, primcount, stride); }
MPIGLUT_EXPORT void glMultiDrawElementsIndirectEXT(GLenum mode, GLenum type, const void *indirect, GLsizei drawcount,
    GLsizei stride) { glMultiDrawElementsIndirect(mode, type, indirect, drawcount, stride); }
MPIGLUT_EXPORT void glProgramBinaryOES(GLuint program, GLenum binaryFormat, const void *binary, GLint length) {
    glProgramBinary(program, binaryFormat, binary, length); }
MPIGLUT_EXPORT void glProgramUniform1fEXT(GLuint program, GLint location, GLfloat v0) { glProgramUniform1f(program,
    location, v0); }
MPIGLUT_EXPORT void glProgramUniform1fvEXT(GLuint program, GLint location, GLsizei count, const GLfloat *value) {
    glProgramUniform1fv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform1iEXT(GLuint program, GLint location, GLint v0) { glProgramUniform1i(program,
    location, v0); }
MPIGLUT_EXPORT void glProgramUniform1ivEXT(GLuint program, GLint location, GLsizei count, const GLint *value) {
    glProgramUniform1iv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform1uiEXT(GLuint program, GLint location, GLuint v0) { glProgramUniform1ui(program,
    location, v0); }
MPIGLUT_EXPORT void glProgramUniform1uivEXT(GLuint program, GLint location, GLsizei count, const GLuint *value) {
    glProgramUniform1uiv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform2fEXT(GLuint program, GLint location, GLfloat v0, GLfloat v1) {
    glProgramUniform2f(program, location, v0, v1); }
MPIGLUT_EXPORT void glProgramUniform2fvEXT(GLuint program, GLint location, GLsizei count, const GLfloat *value) {
    glProgramUniform2fv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform2iEXT(GLuint program, GLint location, GLint v0, GLint v1) {
    glProgramUniform2i(program, location, v0, v1); }
MPIGLUT_EXPORT void glProgramUniform2ivEXT(GLuint program, GLint location, GLsizei count, const GLint *value) {
    glProgramUniform2iv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform2uiEXT(GLuint program, GLint location, GLuint v0, GLuint v1) {
    glProgramUniform2ui(program, location, v0, v1); }
MPIGLUT_EXPORT void glProgramUniform2uivEXT(GLuint program, GLint location, GLsizei count, const GLuint *value) {
    glProgramUniform2uiv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform3fEXT(GLuint program, GLint location, GLfloat v0, GLfloat v1, GLfloat v2) {
    glProgramUniform3f(program, location, v0, v1, v2); }
MPIGLUT_EXPORT void glProgramUniform3fvEXT(GLuint program, GLint location, GLsizei count, const GLfloat *value) {
    glProgramUniform3fv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform3iEXT(GLuint program, GLint location, GLint v0, GLint v1, GLint v2) {
    glProgramUniform3i(program, location, v0, v1, v2); }
MPIGLUT_EXPORT void glProgramUniform3ivEXT(GLuint program, GLint location, GLsizei count, const GLint *value) {
    glProgramUniform3iv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform3uiEXT(GLuint program, GLint location, GLuint v0, GLuint v1, GLuint v2) {
    glProgramUniform3ui(program, location, v0, v1, v2); }
MPIGLUT_EXPORT void glProgramUniform3uivEXT(GLuint program, GLint location, GLsizei count, const GLuint *value) {
    glProgramUniform3uiv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform4fEXT(GLuint program, GLint location, GLfloat v0, GLfloat v1, GLfloat v2, GLfloat
    v3) { glProgramUniform4f(program, location, v0, v1, v2, v3); }
MPIGLUT_EXPORT void glProgramUniform4fvEXT(GLuint program, GLint location, GLsizei count, const GLfloat *value) {
    glProgramUniform4fv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform4iEXT(GLuint program, GLint location, GLint v0, GLint v1, GLint v2, GLint v3) {
    glProgramUniform4i(program, location, v0, v1, v2, v3); }
MPIGLUT_EXPORT void glProgramUniform4ivEXT(GLuint program, GLint location, GLsizei count, const GLint *value) {
    glProgramUniform4iv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniform4uiEXT(GLuint program, GLint location, GLuint v0, GLuint v1, GLuint v2, GLuint v3) {
    glProgramUniform4ui(program, location, v0, v1, v2, v3); }
MPIGLUT_EXPORT void glProgramUniform4uivEXT(GLuint program, GLint location, GLsizei count, const GLuint *value) {
    glProgramUniform4uiv(program, location, count, value); }
MPIGLUT_EXPORT void glProgramUniformMatrix2fvEXT(GLuint program, GLint location, GLsizei count, GLboolean transpose,
    const GLfloat *value) { glProgramUniformMatrix2fv(program, location, count, transpose, value); }
MPIGLUT_EXPORT void glProgramUniformMatrix3fvEXT(GLuint program, GLint location, GLsizei count, GLboolean transpose,
    const GLfloat *value) { glProgramUniformMatrix3fv(program, location, count, transpose, value); }
MPIGLUT_EXPORT void glProgramUniformMatrix4fvEXT(GLuint program, GLint location, GLsizei count, GLboolean transpose,
    const GLfloat *value) { glProgramUniformMatrix4fv(program, location, count, transpose, value); }
MPIGLUT_EXPORT void glQueryCounterEXT(GLuint id, GLenum target) { glQueryCounter(id, target); }
MPIGLUT_EXPORT void glReadnPixelsKHR(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
    GLsizei bufSize, void *data) { glReadnPixels(x, y, width, height, format, type, bufSize, data); }
MPIGLUT_EXPORT void glScissorArrayvNV(GLuint first, GLsizei count, const GLint *v) { glScissorArrayv(first, count, v); }
MPIGLUT_EXPORT void glScissorArrayvOES(GLuint first, GLsizei count, const GLint *v) { glScissorArrayv(first, count, v);
    }
MPIGLUT_EXPORT void glScissorIndexedNV(GLuint index, GLint left, GLint bottom, GLsizei width, GLsizei height) {
    glScissorIndexed(index, left, bottom, width, height); }
MPIGLUT_EXPORT void glScissorIndexedOES(GLuint index, GLint left, GLint bottom, GLsizei width, GLsizei height) {
    glScissorIndexed(index, left, bottom, width, height); }
MPIGLUT_EXPORT void glScissorIndexedvNV(GLuint index, const GLint *v) { glScissorIndexedv(index, v); }
MPIGLUT_EXPORT void glScissorIndexedvOES(GLuint index, const GLint *v) { glScissorIndexedv(index, v); }
MPIGLUT_EXPORT void glUniform1uiEXT(GLint location, GLuint v0) { glUniform1ui(location, v0); }
MPIGLUT_EXPORT void glUniform1uivEXT(GLint location, GLsizei count, const GLuint *value) { glUniform1uiv(location,
    count, value); }
MPIGLUT_EXPORT void glUniform2uiEXT(GLint location, GLuint v0, GLuint v1) { glUniform2ui(location, v0, v1); }
MPIGLUT_EXPORT void glUniform2uivEXT(GLint location, GLsizei count, const GLuint *value) { glUniform2uiv(location,
    count, value); }
MPIGLUT_EXPORT void glUniform3uiEXT(GLint location, GLuint v0, GLuint v1, GLuint v2) { glUniform3ui(location, v0, v1,
    v2); }
MPIGLUT_EXPORT void glUniform3uivEXT(GLint location, GLsizei count, const GLuint *value) { glUniform3uiv(location,
    count, value); }
MPIGLUT_EXPORT void glUniform4uiEXT(GLint location, GLuint v0, GLuint v1, GLuint v2, GLuint v3) { glUniform4ui(location,
    v0, v1, v2, v3); }
MPIGLUT_EXPORT void glUniform4uivEXT(GLint location, GLsizei count, const GLuint *value) { glUniform4uiv(location,
    count, value); }
MPIGLUT_EXPORT void glUniformMatrix2x3fvNV(GLint location, GLsizei count, GLboolean transpose, const GLfloat *value) {
    glUniformMatrix2x3fv(location, count, transpose, value); }
MPIGLUT_EXPORT void glUniformMatrix2x4fvNV(GLint location, GLsizei count, GLboolean transpose, const GLfloat *value) {
    glUniformMatrix2x4fv(location, count, transpose, value); }
MPIGLUT_EXPORT void glUniformMatrix3x2fvNV(GLint location, GLsizei count, GLboolean transpose, const GLfloat *value) {
    glUniformMatrix3x2fv(location, count, transpose, value); }
MPIGLUT_EXPORT void glUniformMatrix3x4fvNV(GLint location, GLsizei count, GLboolean transpose, const GLfloat *value) {
    glUniformMatrix3x4fv(location, count, transpose, value); }
MPIGLUT_EXPORT void glUniformMatrix4x2fvNV(GLint location, GLsizei count, GLboolean transpose, const GLfloat *value) {
    glUniformMatrix4x2fv(location, count, transpose, value); }
MPIGLUT_EXPORT void glUniformMatrix4x3fvNV(GLint location, GLsizei count, GLboolean transpose, const GLfloat *value) {
    glUniformMatrix4x3fv(location, count, transpose, value); }
MPIGLUT_EXPORT GLboolean glUnmapBufferOES(GLenum target) { return glUnmapBuffer(target); }
MPIGLUT_EXPORT void glVertexAttrib4NubvARB(GLuint index, const GLubyte *v) { glVertexAttrib4Nubv(index, v); }
MPIGLUT_EXPORT void glVertexAttrib4ubvARB(GLuint index, const GLubyte *v) { glVertexAttrib4ubv(index, v); }
MPIGLUT_EXPORT void glVertexAttribI4ivEXT(GLuint index, const GLint *v) { glVertexAttribI4iv(index, v); }
MPIGLUT_EXPORT void glVertexAttribI4uivEXT(GLuint index, const GLuint *v) { glVertexAttribI4uiv(index, v); }
MPIGLUT_EXPORT void glViewportArrayvNV(GLuint first, GLsizei count, const GLfloat *v) { glViewportArrayv(first, count,
    v); }
MPIGLUT_EXPORT void glViewportArrayvOES(GLuint first, GLsizei count, const GLfloat *v) { glViewportArrayv(first, count,
    v); }
MPIGLUT_EXPORT void glViewportIndexedfNV(GLuint index, GLfloat x, GLfloat y, GLfloat w, GLfloat h) {
    glViewportIndexedf(index, x, y, w, h); }
MPIGLUT_EXPORT void glViewportIndexedfOES(GLuint index, GLfloat x, GLfloat y, GLfloat w, GLfloat h) {
    glViewportIndexedf(index, x, y, w, h); }
MPIGLUT_EXPORT void glViewportIndexedfvNV(GLuint index, const GLfloat *v) { glViewportIndexedfv(index, v); }
MPIGLUT_EXPORT void glViewportIndexedfvOES(GLuint index, const GLfloat *v) { glViewportIndexedfv(index, v); }
