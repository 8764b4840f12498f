// Query objects. A query of samples counts what its tile draws of the window; the program gets the wall's count, the
// same on every rank. Timers and other counters give rank 0's value to all.
//
// A query is a sequence of real ones, begun anew whenever drawing moves between the window and a framebuffer object:
// what goes into an object is the same on every rank and is not to be added up. Results come by a collective
// (`settle`), which asks for all queries that have ended at once: a program with hundreds of them waits for few.
// With one rank all of this stands aside.
#pragma once

#include "base/real.h"
#include "gl/context/error.h"
#include "gl/coordinates/mirror.h"
#include "gl/pixel/pixel_store.h"

#include <GL/gl.h>

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mpiglut::gl {

struct Segment {
    GLuint query;                                ///< the real one
    enum Where { window, beyond, object } where; ///< beyond: the window does not show on this tile
    bool done = false;
    std::uint64_t value = 0;
};

struct Query {
    GLenum target = GL_SAMPLES_PASSED;
    bool active = true;            ///< between begin and end
    bool settled = false;          ///< every rank has the result
    bool examined = false;         ///< found unfinished when ranks last met, and not said to be yet
    std::vector<Segment> segments; ///< the first is the program's own query
    std::uint64_t result = 0;
};

/// A context's queries, those alone that were begun on a wall.
struct Queries {
    std::unordered_map<GLuint, Query> all;
    std::map<std::pair<GLenum, GLuint>, GLuint> active; ///< by target and index
    std::vector<GLuint> ended;                          ///< and not settled, in order: the same on every rank
    GLuint nothing = 0;                                 ///< a real query that has counted 0
    bool conditional = false, discarding = false;       ///< between glBeginConditionalRender and its end
};

/// The current context, if its queries are the wall's business: null with one rank.
Context *query_context();

bool counts_pixels(GLenum target);

/// The query of that name, if it has ended; else the driver knows what to say.
Query *ended_query(Context &c, GLuint id);

/// Has every rank this query's result? `wait`: until it is so. All ranks have to come here together.
bool settle(Context &c, Query &query, bool wait);

/// Drawing has moved to or from the window.
void queries_moved(Context &c);

/// Results are read into memory, whatever buffer the program has bound for them.
class NoQueryBuffer {
  public:
    NoQueryBuffer() : bound_(static_cast<GLuint>(get(GL_QUERY_BUFFER_BINDING))) { bind(0); }
    ~NoQueryBuffer() { bind(bound_); }
    NoQueryBuffer(const NoQueryBuffer &) = delete;
    NoQueryBuffer &operator=(const NoQueryBuffer &) = delete;

  private:
    void bind(GLuint buffer) {
        if (bound_)
            REAL(glBindBuffer)(GL_QUERY_BUFFER, buffer);
    }
    ErrorScope errors_; // of drivers that have no such binding
    GLuint bound_;
};

/// Rank 0's GL_TIMESTAMP; false when the driver's own is right.
bool common_timestamp(GLint64 &time);

} // namespace mpiglut::gl
