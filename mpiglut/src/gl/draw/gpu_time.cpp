#include "gl/draw/gpu_time.h"

#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/queries.h"

namespace mpiglut::gl {
namespace {

std::int64_t nanoseconds(GLuint query) {
    GLuint64 time = 0;
    REAL(glGetQueryObjectui64v)(query, GL_QUERY_RESULT, &time);
    return static_cast<std::int64_t>(time);
}

} // namespace

void begin_gpu_time() {
    Context *c = current();
    if (!c)
        return;
    pull_limits(*c);
    if (!c->limits.timestamps)
        return;
    if (!c->timestamps[0])
        REAL(glGenQueries)(2, c->timestamps.data());
    REAL(glQueryCounter)(c->timestamps[0], GL_TIMESTAMP);
    c->timed = true;
}

std::optional<std::int64_t> end_gpu_time() {
    Context *c = current();
    if (!c || !std::exchange(c->timed, false))
        return std::nullopt;
    REAL(glQueryCounter)(c->timestamps[1], GL_TIMESTAMP);
    const NoQueryBuffer to_memory;
    return nanoseconds(c->timestamps[1]) - nanoseconds(c->timestamps[0]);
}

} // namespace mpiglut::gl
