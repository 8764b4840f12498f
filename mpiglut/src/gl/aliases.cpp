// Other spellings of wrapped functions. Written by entry_points.py; do not edit.
#include "base/export.h"

#include <GL/gl.h>
#include <GL/glext.h>

// clang-format off
MPIGLUT_EXPORT void glDeleteRenderbuffersEXT(GLsizei n, const GLuint *renderbuffers) { glDeleteRenderbuffers(n,
    renderbuffers); }
MPIGLUT_EXPORT void glDisableIndexedEXT(GLenum target, GLuint index) { glDisablei(target, index); }
MPIGLUT_EXPORT void glDrawBuffersARB(GLsizei n, const GLenum *bufs) { glDrawBuffers(n, bufs); }
MPIGLUT_EXPORT void glDrawBuffersATI(GLsizei n, const GLenum *bufs) { glDrawBuffers(n, bufs); }
MPIGLUT_EXPORT void glDrawTransformFeedbackNV(GLenum mode, GLuint id) { glDrawTransformFeedback(mode, id); }
MPIGLUT_EXPORT void glEnableIndexedEXT(GLenum target, GLuint index) { glEnablei(target, index); }
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
MPIGLUT_EXPORT GLboolean glIsEnabledIndexedEXT(GLenum target, GLuint index) { return glIsEnabledi(target, index); }
MPIGLUT_EXPORT void glMultiDrawArraysIndirectAMD(GLenum mode, const void *indirect, GLsizei primcount, GLsizei stride) {
    glMultiDrawArraysIndirect(mode, indirect, primcount, stride); }
MPIGLUT_EXPORT void glMultiDrawElementsIndirectAMD(GLenum mode, GLenum type, const void *indirect, GLsizei primcount,
    GLsizei stride) { glMultiDrawElementsIndirect(mode, type, indirect, primcount, stride); }
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
MPIGLUT_EXPORT void glVertexAttrib4NubvARB(GLuint index, const GLubyte *v) { glVertexAttrib4Nubv(index, v); }
MPIGLUT_EXPORT void glVertexAttrib4ubvARB(GLuint index, const GLubyte *v) { glVertexAttrib4ubv(index, v); }
MPIGLUT_EXPORT void glVertexAttribI4ivEXT(GLuint index, const GLint *v) { glVertexAttribI4iv(index, v); }
MPIGLUT_EXPORT void glVertexAttribI4uivEXT(GLuint index, const GLuint *v) { glVertexAttribI4uiv(index, v); }
