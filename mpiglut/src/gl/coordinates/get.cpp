// Queries of window coordinates: the program gets the whole window's.

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/coordinates/projection.h"
#include "gl/draw/queries.h"
#include "gl/shader/glsl.h"
#include "gl/value/agreed.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace mpiglut::gl {

namespace {

/// As GL converts state for its queries.
template <class To> To converted(double value) {
    if constexpr (std::is_same_v<To, GLboolean>)
        return value != 0 ? GL_TRUE : GL_FALSE;
    else if constexpr (std::is_integral_v<To>)
        return static_cast<To>(std::llround(value));
    else
        return static_cast<To>(value);
}

template <class To, class Values> bool give(To *to, const Values &values) {
    for (const auto value : values)
        *to++ = converted<To>(static_cast<double>(value));
    return true;
}

std::array<GLfloat, 4> raster_position(const Context &c) {
    std::array<GLfloat, 4> position{};
    REAL(glGetFloatv)(GL_CURRENT_RASTER_POSITION, position.data());
    position[0] += static_cast<GLfloat>(c.raster_origin.x);
    position[1] += static_cast<GLfloat>(c.raster_origin.y);
    return position;
}

Matrix transposed(const Matrix &m) {
    Matrix result;
    for (int i = 0; i < 16; ++i)
        result[i] = m[4 * (i % 4) + i / 4];
    return result;
}

template <class T> bool answer_timestamp(T *value) {
    GLint64 time = 0;
    if (!value || !common_timestamp(time))
        return false;
    if constexpr (std::is_same_v<T, GLint64>)
        *value = time; // a double would lose its end
    else
        give(value, std::array{time});
    return true;
}

/// False when the driver knows the answer.
template <class T> bool answer(GLenum name, T *values) {
    switch (name) {
    case GL_TIMESTAMP:
        return answer_timestamp(values);
    case GL_SCISSOR_TEST: {
        const std::optional<bool> on = scissor_test(name, 0);
        return on && values && give(values, std::array{*on});
    }
    case GL_VIEWPORT:
    case GL_SCISSOR_BOX:
    case GL_MAX_VIEWPORT_DIMS:
    case GL_CURRENT_RASTER_POSITION:
    case GL_PROJECTION_MATRIX:
    case GL_TRANSPOSE_PROJECTION_MATRIX:
        break;
    default:
        return false;
    }
    Context *c = current();
    if (!c || !values)
        return false;
    switch (name) {
    case GL_VIEWPORT:
        return give(values, c->viewport[0]);
    case GL_SCISSOR_BOX:
        return give(values, c->scissor[0]);
    case GL_MAX_VIEWPORT_DIMS:
        return give(values, std::array{widest_viewport(*c), highest_viewport(*c)});
    case GL_CURRENT_RASTER_POSITION:
        return c->limits.fixed_function && give(values, raster_position(*c));
    default:
        if (c->crop.identity())
            return false;
        const Matrix projection = program_projection(*c);
        return give(values, name == GL_PROJECTION_MATRIX ? projection : transposed(projection));
    }
}

/// How much of a limit the uniforms that translation adds may take: programs that use all that they are told still link.
int kept_back(GLenum name) {
    const auto position = [](int size) { // a crop in each stage
        const Context *c = current();
        return c && crop_possible(*c) ? size : 0;
    };
    const auto fragment = [](int size) { return current() ? 2 * size : 0; }; // two origins
    switch (name) {
    case GL_MAX_FRAGMENT_UNIFORM_VECTORS:
        return fragment(1);
    case GL_MAX_FRAGMENT_UNIFORM_COMPONENTS:
    case GL_MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS:
        return fragment(4);
    case GL_MAX_VERTEX_UNIFORM_VECTORS:
        return position(1);
    case GL_MAX_VERTEX_UNIFORM_COMPONENTS:
    case GL_MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS:
    case GL_MAX_GEOMETRY_UNIFORM_COMPONENTS:
    case GL_MAX_COMBINED_GEOMETRY_UNIFORM_COMPONENTS:
    case GL_MAX_TESS_EVALUATION_UNIFORM_COMPONENTS:
    case GL_MAX_COMBINED_TESS_EVALUATION_UNIFORM_COMPONENTS:
        return position(4);
    case GL_MAX_UNIFORM_LOCATIONS:
        return current() ? own_locations : 0;
    default:
        return 0;
    }
}

/// Of what the driver has given: of free memory, and similar values, all ranks get the least.
template <class T> void agree_on_measured(GLenum name, T *values) {
    const int count = measured_numbers(name);
    if (count && values && query_context())
        for (int i = 0; i < count; ++i)
            values[i] = converted<T>(static_cast<double>(least_of_ranks(static_cast<std::int64_t>(values[i]))));
}

template <class T> void keep_back(GLenum name, T *values) {
    if constexpr (!std::is_same_v<T, GLboolean>)
        if (const int own = kept_back(name); own && values && *values > own)
            *values -= static_cast<T>(own);
}

template <class T> bool answer_indexed(GLenum name, GLuint index, T *values) {
    if (const std::optional<bool> on = scissor_test(name, index); on && values)
        return give(values, std::array{*on});
    if (name != GL_VIEWPORT && name != GL_SCISSOR_BOX)
        return false;
    const Context *c = current();
    if (!c || !values || index >= static_cast<GLuint>(c->limits.viewports))
        return false;
    return name == GL_VIEWPORT ? give(values, c->viewport[index]) : give(values, c->scissor[index]);
}

} // namespace
} // namespace mpiglut::gl

using namespace mpiglut::gl;

#define GET(function, type)                                                                                            \
    MPIGLUT_EXPORT void function(GLenum name, type *values) {                                                          \
        if (answer(name, values))                                                                                      \
            return;                                                                                                    \
        REAL(function)(name, values);                                                                                  \
        keep_back(name, values);                                                                                       \
        agree_on_measured(name, values);                                                                               \
    }
#define GET_INDEXED(function, type)                                                                                    \
    MPIGLUT_EXPORT void function(GLenum name, GLuint index, type *values) {                                            \
        if (!answer_indexed(name, index, values))                                                                      \
            REAL(function)(name, index, values);                                                                       \
    }

GET(glGetBooleanv, GLboolean)
GET(glGetIntegerv, GLint)
GET(glGetInteger64v, GLint64)
GET(glGetFloatv, GLfloat)
GET(glGetDoublev, GLdouble)
GET_INDEXED(glGetBooleani_v, GLboolean)
GET_INDEXED(glGetIntegeri_v, GLint)
GET_INDEXED(glGetInteger64i_v, GLint64)
GET_INDEXED(glGetFloati_v, GLfloat)
GET_INDEXED(glGetDoublei_v, GLdouble)
GET_INDEXED(glGetBooleanIndexedvEXT, GLboolean)
GET_INDEXED(glGetIntegerIndexedvEXT, GLint)
GET_INDEXED(glGetFloatIndexedvEXT, GLfloat)
GET_INDEXED(glGetDoubleIndexedvEXT, GLdouble)
GET_INDEXED(glGetFloati_vEXT, GLfloat)
GET_INDEXED(glGetDoublei_vEXT, GLdouble)
