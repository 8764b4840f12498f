#define GL_GLEXT_PROTOTYPES
#include "gl/gl_context_snapshot.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <sstream>

namespace gl_state {

namespace {

struct Query {
    const char *name;
    GLenum what;
    int count;
};
#define Q(what, count)                                                                                                 \
    { #what, what, count }

const Query common[] = {Q(GL_PACK_ALIGNMENT, 1),
                        Q(GL_PACK_ROW_LENGTH, 1),
                        Q(GL_PACK_SKIP_ROWS, 1),
                        Q(GL_PACK_SKIP_PIXELS, 1),
                        Q(GL_PACK_SKIP_IMAGES, 1),
                        Q(GL_PACK_IMAGE_HEIGHT, 1),
                        Q(GL_PACK_SWAP_BYTES, 1),
                        Q(GL_PACK_LSB_FIRST, 1),
                        Q(GL_PACK_COMPRESSED_BLOCK_WIDTH, 1),
                        Q(GL_PACK_COMPRESSED_BLOCK_HEIGHT, 1),
                        Q(GL_PACK_COMPRESSED_BLOCK_DEPTH, 1),
                        Q(GL_PACK_COMPRESSED_BLOCK_SIZE, 1),
                        Q(GL_UNPACK_ALIGNMENT, 1),
                        Q(GL_UNPACK_ROW_LENGTH, 1),
                        Q(GL_UNPACK_SKIP_ROWS, 1),
                        Q(GL_UNPACK_SKIP_PIXELS, 1),
                        Q(GL_UNPACK_SKIP_IMAGES, 1),
                        Q(GL_UNPACK_IMAGE_HEIGHT, 1),
                        Q(GL_UNPACK_SWAP_BYTES, 1),
                        Q(GL_UNPACK_LSB_FIRST, 1),
                        Q(GL_UNPACK_COMPRESSED_BLOCK_WIDTH, 1),
                        Q(GL_UNPACK_COMPRESSED_BLOCK_HEIGHT, 1),
                        Q(GL_UNPACK_COMPRESSED_BLOCK_DEPTH, 1),
                        Q(GL_UNPACK_COMPRESSED_BLOCK_SIZE, 1),
                        Q(GL_PIXEL_PACK_BUFFER_BINDING, 1),
                        Q(GL_PIXEL_UNPACK_BUFFER_BINDING, 1),
                        Q(GL_ARRAY_BUFFER_BINDING, 1),
                        Q(GL_ELEMENT_ARRAY_BUFFER_BINDING, 1),
                        Q(GL_COPY_READ_BUFFER_BINDING, 1),
                        Q(GL_COPY_WRITE_BUFFER_BINDING, 1),
                        Q(GL_UNIFORM_BUFFER_BINDING, 1),
                        Q(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 1),
                        Q(GL_DRAW_INDIRECT_BUFFER_BINDING, 1),
                        Q(GL_DISPATCH_INDIRECT_BUFFER_BINDING, 1),
                        Q(GL_SHADER_STORAGE_BUFFER_BINDING, 1),
                        Q(GL_ATOMIC_COUNTER_BUFFER_BINDING, 1),
                        Q(GL_QUERY_BUFFER_BINDING, 1),
                        Q(GL_TEXTURE_BUFFER_BINDING, 1),
                        Q(GL_DRAW_FRAMEBUFFER_BINDING, 1),
                        Q(GL_READ_FRAMEBUFFER_BINDING, 1),
                        Q(GL_RENDERBUFFER_BINDING, 1),
                        Q(GL_READ_BUFFER, 1),
                        Q(GL_CLAMP_READ_COLOR, 1),
                        Q(GL_CURRENT_PROGRAM, 1),
                        Q(GL_PROGRAM_PIPELINE_BINDING, 1),
                        Q(GL_VERTEX_ARRAY_BINDING, 1),
                        Q(GL_TRANSFORM_FEEDBACK_BINDING, 1),
                        Q(GL_TRANSFORM_FEEDBACK_ACTIVE, 1),
                        Q(GL_TRANSFORM_FEEDBACK_PAUSED, 1),
                        Q(GL_ACTIVE_TEXTURE, 1),
                        Q(GL_COLOR_CLEAR_VALUE, 4),
                        Q(GL_DEPTH_CLEAR_VALUE, 1),
                        Q(GL_STENCIL_CLEAR_VALUE, 1),
                        Q(GL_DEPTH_WRITEMASK, 1),
                        Q(GL_DEPTH_FUNC, 1),
                        Q(GL_STENCIL_FUNC, 1),
                        Q(GL_STENCIL_REF, 1),
                        Q(GL_STENCIL_VALUE_MASK, 1),
                        Q(GL_STENCIL_WRITEMASK, 1),
                        Q(GL_STENCIL_FAIL, 1),
                        Q(GL_STENCIL_PASS_DEPTH_FAIL, 1),
                        Q(GL_STENCIL_PASS_DEPTH_PASS, 1),
                        Q(GL_STENCIL_BACK_FUNC, 1),
                        Q(GL_STENCIL_BACK_REF, 1),
                        Q(GL_STENCIL_BACK_VALUE_MASK, 1),
                        Q(GL_STENCIL_BACK_WRITEMASK, 1),
                        Q(GL_STENCIL_BACK_FAIL, 1),
                        Q(GL_STENCIL_BACK_PASS_DEPTH_FAIL, 1),
                        Q(GL_STENCIL_BACK_PASS_DEPTH_PASS, 1),
                        Q(GL_BLEND_COLOR, 4),
                        Q(GL_LOGIC_OP_MODE, 1),
                        Q(GL_CULL_FACE_MODE, 1),
                        Q(GL_FRONT_FACE, 1),
                        Q(GL_POLYGON_MODE, 1),
                        Q(GL_LINE_WIDTH, 1),
                        Q(GL_POINT_SIZE, 1),
                        Q(GL_POINT_FADE_THRESHOLD_SIZE, 1),
                        Q(GL_POINT_SPRITE_COORD_ORIGIN, 1),
                        Q(GL_POLYGON_OFFSET_FACTOR, 1),
                        Q(GL_POLYGON_OFFSET_UNITS, 1),
                        Q(GL_SAMPLE_COVERAGE_VALUE, 1),
                        Q(GL_SAMPLE_COVERAGE_INVERT, 1),
                        Q(GL_PROVOKING_VERTEX, 1),
                        Q(GL_PRIMITIVE_RESTART_INDEX, 1),
                        Q(GL_PATCH_VERTICES, 1),
                        Q(GL_LINE_SMOOTH_HINT, 1),
                        Q(GL_POLYGON_SMOOTH_HINT, 1),
                        Q(GL_TEXTURE_COMPRESSION_HINT, 1),
                        Q(GL_FRAGMENT_SHADER_DERIVATIVE_HINT, 1),
                        Q(GL_MIN_SAMPLE_SHADING_VALUE, 1),
                        Q(GL_CLIP_ORIGIN, 1),
                        Q(GL_CLIP_DEPTH_MODE, 1),
                        Q(GL_DEBUG_GROUP_STACK_DEPTH, 1),
                        Q(GL_DEBUG_LOGGED_MESSAGES, 1)};

const Query capabilities[] = {Q(GL_SCISSOR_TEST, 1),
                              Q(GL_BLEND, 1),
                              Q(GL_DEPTH_TEST, 1),
                              Q(GL_STENCIL_TEST, 1),
                              Q(GL_CULL_FACE, 1),
                              Q(GL_DITHER, 1),
                              Q(GL_FRAMEBUFFER_SRGB, 1),
                              Q(GL_RASTERIZER_DISCARD, 1),
                              Q(GL_PRIMITIVE_RESTART, 1),
                              Q(GL_PRIMITIVE_RESTART_FIXED_INDEX, 1),
                              Q(GL_POLYGON_OFFSET_FILL, 1),
                              Q(GL_POLYGON_OFFSET_LINE, 1),
                              Q(GL_POLYGON_OFFSET_POINT, 1),
                              Q(GL_LINE_SMOOTH, 1),
                              Q(GL_POLYGON_SMOOTH, 1),
                              Q(GL_MULTISAMPLE, 1),
                              Q(GL_SAMPLE_ALPHA_TO_COVERAGE, 1),
                              Q(GL_SAMPLE_ALPHA_TO_ONE, 1),
                              Q(GL_SAMPLE_COVERAGE, 1),
                              Q(GL_SAMPLE_MASK, 1),
                              Q(GL_SAMPLE_SHADING, 1),
                              Q(GL_COLOR_LOGIC_OP, 1),
                              Q(GL_DEPTH_CLAMP, 1),
                              Q(GL_PROGRAM_POINT_SIZE, 1),
                              Q(GL_TEXTURE_CUBE_MAP_SEAMLESS, 1),
                              Q(GL_CLIP_DISTANCE0, 1),
                              Q(GL_CLIP_DISTANCE1, 1),
                              Q(GL_DEBUG_OUTPUT, 1),
                              Q(GL_DEBUG_OUTPUT_SYNCHRONOUS, 1)};

const Query compatible[] = {Q(GL_MAP_COLOR, 1),
                            Q(GL_MAP_STENCIL, 1),
                            Q(GL_INDEX_SHIFT, 1),
                            Q(GL_INDEX_OFFSET, 1),
                            Q(GL_RED_SCALE, 1),
                            Q(GL_RED_BIAS, 1),
                            Q(GL_GREEN_SCALE, 1),
                            Q(GL_GREEN_BIAS, 1),
                            Q(GL_BLUE_SCALE, 1),
                            Q(GL_BLUE_BIAS, 1),
                            Q(GL_ALPHA_SCALE, 1),
                            Q(GL_ALPHA_BIAS, 1),
                            Q(GL_DEPTH_SCALE, 1),
                            Q(GL_DEPTH_BIAS, 1),
                            Q(GL_ZOOM_X, 1),
                            Q(GL_ZOOM_Y, 1),
                            Q(GL_MATRIX_MODE, 1),
                            Q(GL_MODELVIEW_MATRIX, 16),
                            Q(GL_PROJECTION_MATRIX, 16),
                            Q(GL_TEXTURE_MATRIX, 16),
                            Q(GL_MODELVIEW_STACK_DEPTH, 1),
                            Q(GL_PROJECTION_STACK_DEPTH, 1),
                            Q(GL_ATTRIB_STACK_DEPTH, 1),
                            Q(GL_CLIENT_ATTRIB_STACK_DEPTH, 1),
                            Q(GL_CURRENT_COLOR, 4),
                            Q(GL_CURRENT_NORMAL, 3),
                            Q(GL_CURRENT_TEXTURE_COORDS, 4),
                            Q(GL_CURRENT_RASTER_POSITION, 4),
                            Q(GL_CURRENT_RASTER_POSITION_VALID, 1),
                            Q(GL_SHADE_MODEL, 1),
                            Q(GL_ALPHA_TEST_FUNC, 1),
                            Q(GL_ALPHA_TEST_REF, 1),
                            Q(GL_FOG_COLOR, 4),
                            Q(GL_FOG_DENSITY, 1),
                            Q(GL_CLAMP_VERTEX_COLOR, 1),
                            Q(GL_CLAMP_FRAGMENT_COLOR, 1),
                            Q(GL_CLIENT_ACTIVE_TEXTURE, 1),
                            Q(GL_LIST_INDEX, 1),
                            Q(GL_LIST_BASE, 1),
                            Q(GL_RENDER_MODE, 1),
                            Q(GL_LIGHTING, 1),
                            Q(GL_LIGHT0, 1),
                            Q(GL_FOG, 1),
                            Q(GL_ALPHA_TEST, 1),
                            Q(GL_TEXTURE_2D, 1),
                            Q(GL_NORMALIZE, 1),
                            Q(GL_COLOR_MATERIAL, 1),
                            Q(GL_POLYGON_STIPPLE, 1),
                            Q(GL_LINE_STIPPLE, 1),
                            Q(GL_VERTEX_ARRAY, 1),
                            Q(GL_COLOR_ARRAY, 1),
                            Q(GL_TEXTURE_COORD_ARRAY, 1)};

const Query texture_bindings[] = {Q(GL_TEXTURE_BINDING_1D, 1),       Q(GL_TEXTURE_BINDING_2D, 1),
                                  Q(GL_TEXTURE_BINDING_3D, 1),       Q(GL_TEXTURE_BINDING_RECTANGLE, 1),
                                  Q(GL_TEXTURE_BINDING_1D_ARRAY, 1), Q(GL_TEXTURE_BINDING_2D_ARRAY, 1),
                                  Q(GL_TEXTURE_BINDING_CUBE_MAP, 1), Q(GL_TEXTURE_BINDING_CUBE_MAP_ARRAY, 1),
                                  Q(GL_TEXTURE_BINDING_BUFFER, 1),   Q(GL_TEXTURE_BINDING_2D_MULTISAMPLE, 1),
                                  Q(GL_SAMPLER_BINDING, 1)};

const Query per_index[] = {Q(GL_SHADER_STORAGE_BUFFER_BINDING, 4),
                           Q(GL_SHADER_STORAGE_BUFFER_START, 4),
                           Q(GL_SHADER_STORAGE_BUFFER_SIZE, 4),
                           Q(GL_UNIFORM_BUFFER_BINDING, 4),
                           Q(GL_UNIFORM_BUFFER_START, 4),
                           Q(GL_UNIFORM_BUFFER_SIZE, 4),
                           Q(GL_ATOMIC_COUNTER_BUFFER_BINDING, 1),
                           Q(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 2),
                           Q(GL_IMAGE_BINDING_NAME, 4),
                           Q(GL_IMAGE_BINDING_LEVEL, 4),
                           Q(GL_IMAGE_BINDING_LAYERED, 4),
                           Q(GL_IMAGE_BINDING_LAYER, 4),
                           Q(GL_IMAGE_BINDING_ACCESS, 4),
                           Q(GL_IMAGE_BINDING_FORMAT, 4),
                           Q(GL_BLEND_SRC_RGB, 4),
                           Q(GL_BLEND_DST_RGB, 4),
                           Q(GL_BLEND_SRC_ALPHA, 4),
                           Q(GL_BLEND_DST_ALPHA, 4),
                           Q(GL_BLEND_EQUATION_RGB, 4),
                           Q(GL_BLEND_EQUATION_ALPHA, 4),
                           Q(GL_SAMPLE_MASK_VALUE, 1)};

} // namespace

Silence::Silence() : was_on(glIsEnabled(GL_DEBUG_OUTPUT)) { glDisable(GL_DEBUG_OUTPUT); }

Silence::~Silence() {
    if (was_on)
        glEnable(GL_DEBUG_OUTPUT);
}

Snapshot take(bool compatibility) {
    const Silence silence; // versions differ in what there is to ask for
    Snapshot all;
    GLdouble values[16];
    const auto ask = [&](const Query &query, const std::string &prefix) {
        for (double &v : values)
            v = 0;
        glGetDoublev(query.what, values);
        all[prefix + query.name] = std::vector<double>(values, values + query.count);
    };
    for (const Query &query : common)
        ask(query, "");
    for (const Query &query : capabilities)
        all[query.name] = {static_cast<double>(glIsEnabled(query.what))};
    all["GL_DEBUG_OUTPUT"] = {static_cast<double>(silence.was_on)};
    if (compatibility)
        for (const Query &query : compatible)
            ask(query, "");
    for (GLenum i = 0; i < 8; ++i)
        ask({"", GL_DRAW_BUFFER0 + i, 1}, "draw buffer " + std::to_string(i));
    for (const Query &query : per_index)
        for (GLuint i = 0; i < static_cast<GLuint>(query.count); ++i) {
            GLint64 value = 0;
            glGetInteger64i_v(query.what, i, &value);
            all[query.name + std::string(" ") + std::to_string(i)] = {static_cast<double>(value)};
        }
    for (GLuint i = 0; i < 3; ++i) {
        GLfloat area[4];
        GLint box[4];
        GLboolean mask[4];
        GLdouble range[2];
        glGetFloati_v(GL_VIEWPORT, i, area);
        all["viewport " + std::to_string(i)] = {area[0], area[1], area[2], area[3]};
        glGetIntegeri_v(GL_SCISSOR_BOX, i, box);
        all["scissor " + std::to_string(i)] = {double(box[0]), double(box[1]), double(box[2]), double(box[3]),
                                               double(glIsEnabledi(GL_SCISSOR_TEST, i))};
        glGetDoublei_v(GL_DEPTH_RANGE, i, range);
        all["depth range " + std::to_string(i)] = {range[0], range[1]};
        glGetBooleani_v(GL_COLOR_WRITEMASK, i, mask);
        all["colour mask " + std::to_string(i)] = {double(mask[0]), double(mask[1]), double(mask[2]), double(mask[3]),
                                                   double(glIsEnabledi(GL_BLEND, i))};
    }
    for (const GLenum query : {GL_SAMPLES_PASSED, GL_TIME_ELAPSED, GL_PRIMITIVES_GENERATED}) {
        GLint current = 0;
        glGetQueryiv(query, GL_CURRENT_QUERY, &current);
        all["query " + std::to_string(query)] = {double(current)};
    }
    const auto active = static_cast<GLenum>(all["GL_ACTIVE_TEXTURE"][0]);
    for (GLenum unit = 0; unit < 8; ++unit) {
        glActiveTexture(GL_TEXTURE0 + unit);
        for (const Query &query : texture_bindings)
            ask(query, "unit " + std::to_string(unit) + " ");
    }
    glActiveTexture(active);
    while (glGetError() != GL_NO_ERROR) // what this version does not have
        ;
    return all;
}

std::string difference(const Snapshot &before, const Snapshot &after) {
    std::ostringstream text;
    for (const auto &[name, values] : before) {
        const auto found = after.find(name);
        if (found != after.end() && found->second == values)
            continue;
        text << name << " was";
        for (const double v : values)
            text << ' ' << v;
        text << " and is";
        if (found != after.end())
            for (const double v : found->second)
                text << ' ' << v;
        text << '\n';
    }
    return text.str();
}

} // namespace gl_state
