#define GL_GLEXT_PROTOTYPES
#include "gl/gl_context_snapshot.h"

#include <GL/gl.h>
#include <GL/glext.h>

namespace gl_state {

Disorder::Disorder(bool compatibility, bool counts) : compatibility_(compatibility), counts_(counts) {
    const Silence silence;
    objects();
    drawing();
    pixels();
    while (glGetError() != GL_NO_ERROR) // versions differ in what there is to disturb
        ;
}

void Disorder::pixels() {
    const GLenum pack[] = {GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS, GL_PACK_SKIP_IMAGES,
                           GL_PACK_IMAGE_HEIGHT};
    const GLenum unpack[] = {GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS, GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_IMAGES,
                             GL_UNPACK_IMAGE_HEIGHT};
    for (int i = 0; i < 5; ++i) {
        glPixelStorei(pack[i], 3 + i);
        glPixelStorei(unpack[i], 11 + i);
    }
    glPixelStorei(GL_PACK_ALIGNMENT, 8);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
    for (const GLenum flag : {GL_PACK_SWAP_BYTES, GL_UNPACK_SWAP_BYTES, GL_PACK_LSB_FIRST, GL_UNPACK_LSB_FIRST})
        glPixelStorei(flag, 1);
    glClampColor(GL_CLAMP_READ_COLOR, GL_TRUE);
    if (!compatibility_)
        return;
    for (const GLenum scale : {GL_RED_SCALE, GL_GREEN_SCALE, GL_BLUE_SCALE, GL_ALPHA_SCALE, GL_DEPTH_SCALE})
        glPixelTransferf(scale, 0.5f);
    for (const GLenum bias : {GL_RED_BIAS, GL_GREEN_BIAS, GL_BLUE_BIAS, GL_ALPHA_BIAS, GL_DEPTH_BIAS})
        glPixelTransferf(bias, 0.25f);
    glPixelTransferi(GL_MAP_COLOR, 1);
    glPixelTransferi(GL_MAP_STENCIL, 1);
    glPixelTransferi(GL_INDEX_SHIFT, 2);
    glPixelTransferi(GL_INDEX_OFFSET, 5);
    const GLfloat map[2] = {1, 0};
    glPixelMapfv(GL_PIXEL_MAP_R_TO_R, 2, map);
    glPixelMapfv(GL_PIXEL_MAP_S_TO_S, 2, map);
    glPixelZoom(2, -3);
}

void Disorder::objects() {
    glGenBuffers(16, buffers_);
    const GLenum targets[] = {GL_PIXEL_PACK_BUFFER,     GL_PIXEL_UNPACK_BUFFER,  GL_COPY_READ_BUFFER,
                              GL_COPY_WRITE_BUFFER,     GL_ARRAY_BUFFER,         GL_UNIFORM_BUFFER,
                              GL_SHADER_STORAGE_BUFFER, GL_DRAW_INDIRECT_BUFFER, GL_DISPATCH_INDIRECT_BUFFER,
                              GL_ATOMIC_COUNTER_BUFFER, GL_QUERY_BUFFER,         GL_TEXTURE_BUFFER};
    for (int i = 0; i < 12; ++i) {
        glBindBuffer(targets[i], buffers_[i]);
        glBufferData(targets[i], 4096, nullptr, GL_STREAM_COPY);
    }
    for (GLuint i = 0; i < 4; ++i)
        glBindBufferRange(GL_SHADER_STORAGE_BUFFER, i, buffers_[6], 256 * i, 128);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, buffers_[5]);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers_[6]);
    glBindBufferRange(GL_UNIFORM_BUFFER, 1, buffers_[5], 256, 64);
    glGenVertexArrays(1, &vertex_array_);
    glBindVertexArray(vertex_array_);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers_[12]);
    glGenTransformFeedbacks(1, &feedback_);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, feedback_);
    glGenTextures(12, textures_);
    const GLenum kinds[] = {GL_TEXTURE_2D,       GL_TEXTURE_3D, GL_TEXTURE_RECTANGLE, GL_TEXTURE_2D_ARRAY,
                            GL_TEXTURE_CUBE_MAP, GL_TEXTURE_1D, GL_TEXTURE_1D_ARRAY,  GL_TEXTURE_CUBE_MAP_ARRAY};
    for (int i = 0; i < 8; ++i)
        for (GLenum unit = 0; unit < 6; ++unit) {
            glActiveTexture(GL_TEXTURE0 + unit);
            glBindTexture(kinds[i], textures_[i]);
        }
    glGenSamplers(1, &sampler_);
    for (GLuint unit = 0; unit < 5; ++unit)
        glBindSampler(unit, sampler_);
    glActiveTexture(GL_TEXTURE3);
    glBindTexture(GL_TEXTURE_2D, textures_[8]);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glTexStorage2D(GL_TEXTURE_2D, 2, GL_R32UI, 8, 8);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffers_[1]);
    for (GLuint unit = 0; unit < 4; ++unit)
        glBindImageTexture(unit, textures_[8], 1, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);

    glGenRenderbuffers(1, &renderbuffer_);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 16, 16);
    glGenFramebuffers(2, framebuffers_);
    for (int i = 0; i < 2; ++i) {
        glBindFramebuffer(i == 0 ? GL_READ_FRAMEBUFFER : GL_DRAW_FRAMEBUFFER, framebuffers_[i]);
        glFramebufferRenderbuffer(i == 0 ? GL_READ_FRAMEBUFFER : GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + 1,
                                  GL_RENDERBUFFER, renderbuffer_);
    }
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    const GLenum list[] = {GL_NONE, GL_COLOR_ATTACHMENT1};
    glDrawBuffers(2, list);
    // Also the default framebuffer's own selections, where there is one.
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glReadBuffer(GL_NONE);
    glDrawBuffer(GL_NONE);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers_[0]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers_[1]);

    const char *vertex = "#version 330\nvoid main() { gl_Position = vec4(0); }";
    const char *fragment = "#version 330\nout vec4 color; void main() { color = vec4(1); }";
    program_ = glCreateProgram();
    for (const auto &[kind, text] : {std::pair(GL_VERTEX_SHADER, vertex), std::pair(GL_FRAGMENT_SHADER, fragment)}) {
        const GLuint shader = glCreateShader(static_cast<GLenum>(kind));
        glShaderSource(shader, 1, &text, nullptr);
        glCompileShader(shader);
        glAttachShader(program_, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program_);
    glUseProgram(program_);
    glGenQueries(1, &query_);
    if (counts_)
        glBeginQuery(GL_SAMPLES_PASSED, query_);
}

void Disorder::drawing() {
    for (const GLenum capability :
         {GL_SCISSOR_TEST, GL_BLEND, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE, GL_FRAMEBUFFER_SRGB,
          GL_RASTERIZER_DISCARD, GL_PRIMITIVE_RESTART, GL_POLYGON_OFFSET_FILL, GL_SAMPLE_ALPHA_TO_COVERAGE,
          GL_SAMPLE_MASK, GL_DEPTH_CLAMP, GL_CLIP_DISTANCE1, GL_TEXTURE_CUBE_MAP_SEAMLESS, GL_COLOR_LOGIC_OP})
        glEnable(capability);
    glDisable(GL_DITHER);
    glDisable(GL_MULTISAMPLE);
    glDisablei(GL_SCISSOR_TEST, 1);
    glDisablei(GL_BLEND, 2);
    for (GLuint i = 0; i < 3; ++i) {
        glViewportIndexedf(i, 1.0f + static_cast<float>(i), 2, 3, 4);
        glScissorIndexed(i, 2 + static_cast<GLint>(i), 1, 1, 1);
        glColorMaski(i, GL_FALSE, i == 1, GL_FALSE, i == 2);
    }
    glBlendFunci(1, GL_DST_COLOR, GL_ONE);
    glBlendColor(0.1f, 0.2f, 0.3f, 0.4f);
    glClearColor(0.5f, 0.25f, 0.125f, 1);
    glClearDepth(0.5);
    glClearStencil(7);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_NEVER);
    glDepthRange(0.25, 0.75);
    glStencilFuncSeparate(GL_FRONT, GL_NEVER, 3, 5);
    glStencilFuncSeparate(GL_BACK, GL_GREATER, 4, 6);
    glStencilMaskSeparate(GL_FRONT, 0);
    glStencilOp(GL_INVERT, GL_INCR, GL_DECR);
    glCullFace(GL_FRONT_AND_BACK);
    glFrontFace(GL_CW);
    glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
    glLogicOp(GL_XOR);
    glSampleMaski(0, 0);
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    if (compatibility_) {
        glMatrixMode(GL_PROJECTION);
        glPushMatrix();
        glScalef(2, 3, 4);
        glColor4f(0.1f, 0.2f, 0.3f, 0.4f);
        glEnable(GL_ALPHA_TEST);
        glAlphaFunc(GL_NEVER, 0.5f);
        glEnable(GL_TEXTURE_2D);
        glEnable(GL_FOG);
        glClientActiveTexture(GL_TEXTURE2);
        glEnableClientState(GL_COLOR_ARRAY);
    }
}

Disorder::~Disorder() {
    const Silence silence;
    glEndQuery(GL_SAMPLES_PASSED);
    glDeleteQueries(1, &query_);
    glUseProgram(0);
    glDeleteProgram(program_);
    glDeleteFramebuffers(2, framebuffers_);
    glDeleteRenderbuffers(1, &renderbuffer_);
    glDeleteTextures(12, textures_);
    glDeleteSamplers(1, &sampler_);
    glDeleteVertexArrays(1, &vertex_array_);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
    glDeleteTransformFeedbacks(1, &feedback_);
    glDeleteBuffers(16, buffers_);
    while (glGetError() != GL_NO_ERROR)
        ;
}

} // namespace gl_state
