// What programs ask of queries: results, into memory or into a buffer, and rendering that depends on them.
#include "base/export.h"
#include "base/real.h"
#include "gl/context/error.h"
#include "gl/draw/queries.h"
#include "gl/pixel/pixel_store.h"
#include "gl/value/buffer_memory.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace mpiglut::gl {

namespace {

bool is_result(GLenum name) {
    return name == GL_QUERY_RESULT || name == GL_QUERY_RESULT_AVAILABLE || name == GL_QUERY_RESULT_NO_WAIT;
}

/// Nothing: GL leaves the program's memory as it is.
std::optional<std::uint64_t> answer(Context &c, Query &query, GLenum name) {
    const bool settled = settle(c, query, name == GL_QUERY_RESULT);
    if (name == GL_QUERY_RESULT_AVAILABLE)
        return settled;
    return settled ? std::optional(query.result) : std::nullopt;
}

template <class T> T clamped(std::uint64_t value) {
    return static_cast<T>(std::min<std::uint64_t>(value, std::numeric_limits<T>::max()));
}

GLuint bound_query_buffer() {
    ErrorScope errors; // of drivers that have no such binding
    return static_cast<GLuint>(get(GL_QUERY_BUFFER_BINDING));
}

/// Into the buffer that is bound for results. What GL would refuse goes to `real`.
template <class T, class F>
void give_bound_buffer(Context &c, Query &query, GLenum name, std::uintptr_t offset, F real) {
    {
        ErrorScope errors;
        if (offset % sizeof(T) == 0 && buffer_writable(GL_QUERY_BUFFER, offset, sizeof(T))) {
            if (const auto value = answer(c, query, name)) {
                const T result = clamped<T>(*value);
                write_buffer(GL_QUERY_BUFFER, offset, std::as_bytes(std::span(&result, 1)));
            }
            return;
        }
    }
    real();
}

/// `real` is the entry point that the program called.
template <class T, class F> void get_object(GLuint id, GLenum name, T *to, F real) {
    Context *c = query_context();
    Query *query = c && is_result(name) ? ended_query(*c, id) : nullptr;
    if (!query)
        return real();
    if (bound_query_buffer())
        return give_bound_buffer<T>(*c, *query, name, reinterpret_cast<std::uintptr_t>(to), real);
    if (const auto value = answer(*c, *query, name); value && to)
        *to = clamped<T>(*value);
}

template <class T, class F> void get_buffer_object(GLuint id, GLuint buffer, GLenum name, GLintptr offset, F real) {
    Context *c = query_context();
    Query *query = c && is_result(name) ? ended_query(*c, id) : nullptr;
    if (!query || offset < 0 || !glIsBuffer(buffer))
        return real();
    const GLuint before = bound_query_buffer();
    REAL(glBindBuffer)(GL_QUERY_BUFFER, buffer);
    give_bound_buffer<T>(*c, *query, name, static_cast<std::uintptr_t>(offset), real);
    REAL(glBindBuffer)(GL_QUERY_BUFFER, before);
}

// --- conditional rendering -----------------------------------------------------------------------------------------

bool waits(GLenum mode) {
    return mode == GL_QUERY_WAIT || mode == GL_QUERY_BY_REGION_WAIT || mode == GL_QUERY_WAIT_INVERTED ||
           mode == GL_QUERY_BY_REGION_WAIT_INVERTED;
}
bool is_inverted(GLenum mode) { return mode >= GL_QUERY_WAIT_INVERTED && mode <= GL_QUERY_BY_REGION_NO_WAIT_INVERTED; }
bool is_mode(GLenum mode) { return is_inverted(mode) || (mode >= GL_QUERY_WAIT && mode <= GL_QUERY_BY_REGION_NO_WAIT); }

/// Every rank draws, or none: the driver is told of a query that has counted nothing, or of none.
template <class F> void begin_conditional(Context &c, GLuint id, GLenum mode, F real) {
    Query *query = is_mode(mode) ? ended_query(c, id) : nullptr;
    if (!query || !c.queries->nothing || !counts_pixels(query->target))
        return real();
    if (c.queries->conditional)
        return ErrorScope().keep(GL_INVALID_OPERATION);
    const bool known = settle(c, *query, waits(mode));
    c.queries->conditional = true;
    c.queries->discarding = known && (query->result != 0) == is_inverted(mode);
    if (c.queries->discarding)
        REAL(glBeginConditionalRender)(c.queries->nothing, GL_QUERY_WAIT);
}

template <class F> void end_conditional(Context &c, F real) {
    if (!c.queries || !c.queries->conditional)
        return real();
    c.queries->conditional = false;
    if (std::exchange(c.queries->discarding, false))
        REAL(glEndConditionalRender)();
}

} // namespace

} // namespace mpiglut::gl

using namespace mpiglut::gl;

#define MPIGLUT_GET_QUERY(function, type)                                                                              \
    MPIGLUT_EXPORT void function(GLuint id, GLenum name, type *to) {                                                   \
        get_object(id, name, to, [=] { REAL(function)(id, name, to); });                                               \
    }
MPIGLUT_GET_QUERY(glGetQueryObjectiv, GLint)
MPIGLUT_GET_QUERY(glGetQueryObjectuiv, GLuint)
MPIGLUT_GET_QUERY(glGetQueryObjecti64v, GLint64)
MPIGLUT_GET_QUERY(glGetQueryObjectui64v, GLuint64)
MPIGLUT_GET_QUERY(glGetQueryObjectivARB, GLint)
MPIGLUT_GET_QUERY(glGetQueryObjectuivARB, GLuint)
extern "C" void glGetQueryObjectuivEXT(GLuint, GLenum, GLuint *); // OpenGL ES 2
MPIGLUT_GET_QUERY(glGetQueryObjectuivEXT, GLuint)
MPIGLUT_GET_QUERY(glGetQueryObjecti64vEXT, GLint64)
MPIGLUT_GET_QUERY(glGetQueryObjectui64vEXT, GLuint64)

#define MPIGLUT_GET_QUERY_INTO_BUFFER(function, type)                                                                  \
    MPIGLUT_EXPORT void function(GLuint id, GLuint buffer, GLenum name, GLintptr offset) {                             \
        get_buffer_object<type>(id, buffer, name, offset, [=] { REAL(function)(id, buffer, name, offset); });          \
    }
MPIGLUT_GET_QUERY_INTO_BUFFER(glGetQueryBufferObjectiv, GLint)
MPIGLUT_GET_QUERY_INTO_BUFFER(glGetQueryBufferObjectuiv, GLuint)
MPIGLUT_GET_QUERY_INTO_BUFFER(glGetQueryBufferObjecti64v, GLint64)
MPIGLUT_GET_QUERY_INTO_BUFFER(glGetQueryBufferObjectui64v, GLuint64)

#define MPIGLUT_CONDITIONAL(vendor)                                                                                    \
    MPIGLUT_EXPORT void glBeginConditionalRender##vendor(GLuint id, GLenum mode) {                                     \
        const auto real = [=] { REAL(glBeginConditionalRender##vendor)(id, mode); };                                   \
        Context *context = query_context();                                                                            \
        if (!context)                                                                                                  \
            return real();                                                                                             \
        perform(*context, [=](Context &c) { begin_conditional(c, id, mode, real); });                                  \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glEndConditionalRender##vendor() {                                                             \
        const auto real = [] { REAL(glEndConditionalRender##vendor)(); };                                              \
        Context *context = query_context();                                                                            \
        if (!context)                                                                                                  \
            return real();                                                                                             \
        perform(*context, [=](Context &c) { end_conditional(c, real); });                                              \
    }
MPIGLUT_CONDITIONAL()
MPIGLUT_CONDITIONAL(NV)
