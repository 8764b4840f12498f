// Queries from their beginning to their result.
#include "gl/draw/queries.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/role.h"
#include "gl/context/error.h"
#include "gl/draw/cut.h"
#include "gl/pixel/gather.h"
#include "gl/pixel/pixel_store.h"
#include "sync/comm.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace mpiglut::gl {

namespace {

bool is_occlusion(GLenum target) {
    return target == GL_SAMPLES_PASSED || target == GL_ANY_SAMPLES_PASSED ||
           target == GL_ANY_SAMPLES_PASSED_CONSERVATIVE;
}

Queries &queries_of(Context &c) {
    if (!c.queries)
        c.queries = std::make_shared<Queries>();
    return *c.queries;
}

Query *find(Queries &queries, GLuint id) {
    const auto found = queries.all.find(id);
    return found == queries.all.end() ? nullptr : &found->second;
}

/// Of a real query that begins now.
Segment segment(const Context &c, GLuint query) {
    if (!draws_window(c))
        return {query, Segment::object};
    const std::vector<Part> &parts = c.surface->parts;
    const std::size_t rank = comm::rank();
    return {query, rank < parts.size() && parts[rank].width == 0 ? Segment::beyond : Segment::window};
}

void forget(Queries &queries, GLuint id) {
    const Query *query = find(queries, id);
    if (!query)
        return;
    for (std::size_t i = 1; i < query->segments.size(); ++i)
        REAL(glDeleteQueries)(1, &query->segments[i].query);
    std::erase(queries.ended, id);
    std::erase_if(queries.active, [id](const auto &entry) { return entry.second == id; });
    queries.all.erase(id);
}

// --- the result ----------------------------------------------------------------------------------------------------

/// What one rank has to say of a query.
struct Share {
    std::uint64_t value = 0;  ///< of what it drew to the window
    std::uint64_t object = 0; ///< to framebuffer objects
    std::uint64_t done = 0;
};

bool available(GLuint query) {
    GLuint there = GL_FALSE;
    REAL(glGetQueryObjectuiv)(query, GL_QUERY_RESULT_AVAILABLE, &there);
    return there != GL_FALSE;
}

std::uint64_t value_of(const Context &c, GLuint query) {
    GLuint64 wide = 0;
    GLuint narrow = 0;
    if (c.limits.wide_results && c.limits.es)
        REAL(glGetQueryObjectui64vEXT)(query, GL_QUERY_RESULT, &wide);
    else if (c.limits.wide_results)
        REAL(glGetQueryObjectui64v)(query, GL_QUERY_RESULT, &wide);
    else
        REAL(glGetQueryObjectuiv)(query, GL_QUERY_RESULT, &narrow);
    return std::max<std::uint64_t>(wide, narrow);
}

Share own_share(const Context &c, Query &query, bool wait) {
    Share share{0, 0, true};
    for (Segment &part : query.segments) {
        if (!part.done && (wait || available(part.query))) {
            part.value = value_of(c, part.query);
            part.done = true;
        }
        if (part.where == Segment::window || !counts_pixels(query.target))
            share.value += part.value;
        else if (part.where == Segment::object)
            share.object += part.value;
        share.done = share.done && part.done;
    }
    return share;
}

std::uint64_t wall_result(const Query &query, std::span<const Share> shares) {
    if (!counts_pixels(query.target))
        return shares.front().value;
    // Objects are the same on every rank, except in the frame where they were cut and the program begins to count.
    std::uint64_t sum = shares.front().object;
    for (const Share &share : shares)
        sum += share.value;
    return query.target == GL_SAMPLES_PASSED || query.target == GL_FRAGMENT_SHADER_INVOCATIONS ? sum : sum > 0;
}

/// By rank, for each query that has ended; one rank's alone when the ranks have parted ways.
std::vector<std::vector<Share>> all_shares(const std::vector<Share> &mine) {
    const auto bytes = std::as_bytes(std::span(mine));
    const std::vector<std::size_t> sizes(comm::size(), bytes.size());
    std::vector<comm::Bytes> all;
    if (!comm::all_gather(comm::Collective::queries, bytes, sizes, all))
        return {mine};
    std::vector<std::vector<Share>> result;
    for (const comm::Bytes &one : all) {
        result.emplace_back(mine.size(), Share{0, 0, true});
        if (one.size() == bytes.size()) // else the rank is dead, and counts nothing
            std::memcpy(result.back().data(), one.data(), bytes.size());
    }
    return result;
}

void meet(Context &c, const Query *wait_for) {
    Queries &queries = *c.queries;
    const NoQueryBuffer to_memory;
    std::vector<Share> mine;
    for (const GLuint id : queries.ended) {
        Query &query = queries.all.at(id);
        mine.push_back(own_share(c, query, &query == wait_for));
    }
    const std::vector<std::vector<Share>> all = all_shares(mine);
    std::vector<Share> shares(all.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
        Query &query = queries.all.at(queries.ended[i]);
        for (std::size_t rank = 0; rank < all.size(); ++rank)
            shares[rank] = all[rank][i];
        query.settled = std::all_of(shares.begin(), shares.end(), [](const Share &share) { return share.done != 0; });
        query.examined = !query.settled;
        if (query.settled)
            query.result = wall_result(query, shares);
    }
    std::erase_if(queries.ended, [&](GLuint id) { return queries.all.at(id).settled; });
}

// --- begin and end -------------------------------------------------------------------------------------------------

/// A query that the driver would refuse is none of ours.
bool may_begin(Queries &queries, GLenum target, GLuint index, GLuint id) {
    const Query *known = find(queries, id);
    const bool busy = std::any_of(queries.active.begin(), queries.active.end(), [&](const auto &entry) {
        return entry.first == std::pair(target, index) || (is_occlusion(target) && is_occlusion(entry.first.first));
    });
    return id != 0 && !busy && (!known || (!known->active && known->target == target));
}

void note_begin(Context &c, GLenum target, GLuint index, GLuint id) {
    Queries &queries = *c.queries;
    if (!may_begin(queries, target, index, id))
        return;
    forget(queries, id);
    queries.all[id] = {.target = target, .segments = {segment(c, id)}};
    queries.active[{target, index}] = id;
    if (!counts_pixels(target) || !draws_window(c))
        return;
    ask_behind(*c.surface, {0, 0, c.surface->part.full_width, c.surface->part.full_height});
    if (role() == Role::ticks && (target == GL_SAMPLES_PASSED || target == GL_FRAGMENT_SHADER_INVOCATIONS))
        state().counts_samples = true;
}

void note_end(Queries &queries, GLenum target, GLuint index) {
    const auto active = queries.active.find({target, index});
    if (active == queries.active.end())
        return;
    queries.all.at(active->second).active = false;
    queries.ended.push_back(active->second);
    queries.active.erase(active);
}

GLuint query_of_nothing() {
    GLuint query = 0;
    REAL(glGenQueries)(1, &query);
    REAL(glBeginQuery)(GL_SAMPLES_PASSED, query);
    REAL(glEndQuery)(GL_SAMPLES_PASSED);
    return query;
}

template <class F> void begin(GLenum target, GLuint index, GLuint id, F real) {
    Context *context = query_context();
    if (!context)
        return real();
    perform(*context, [=](Context &c) {
        Queries &queries = queries_of(c);
        leave_count_to_program();
        if (is_occlusion(target) && !c.limits.es && !queries.nothing) // OpenGL ES draws under no condition
            queries.nothing = query_of_nothing(); // later another might be active
        if (counts_pixels(target) && c.target_scale)
            refuse_cut_now(c, "it counts samples in framebuffer objects");
        real();
        note_begin(c, target, index, id);
    });
}

template <class F> void end(GLenum target, GLuint index, F real) {
    Context *context = query_context();
    if (!context)
        return real();
    perform(*context, [=](Context &c) {
        real();
        note_end(queries_of(c), target, index);
    });
}

template <class F> void count(GLuint id, GLenum target, F real) {
    Context *context = query_context();
    if (!context)
        return real();
    perform(*context, [=](Context &c) {
        real();
        queries_of(c);
        note_begin(c, target, 0, id);
        note_end(*c.queries, target, 0);
    });
}

template <class F> void remove(GLsizei count, const GLuint *ids, F real) {
    Context *c = query_context();
    if (c && c->queries && ids)
        for (GLsizei i = 0; i < count; ++i)
            forget(*c->queries, ids[i]);
    real();
}

/// The program's own query where the driver has one that carries it on.
void current_query(GLenum target, GLenum name, GLint *value) {
    const Context *c = query_context();
    if (!c || !c->queries || name != GL_CURRENT_QUERY || !value)
        return;
    if (const auto active = c->queries->active.find({target, 0}); active != c->queries->active.end())
        *value = static_cast<GLint>(active->second);
}

} // namespace

Context *query_context() { return comm::size() > 1 ? current() : nullptr; }

bool counts_pixels(GLenum target) { return is_occlusion(target) || target == GL_FRAGMENT_SHADER_INVOCATIONS; }

Query *ended_query(Context &c, GLuint id) {
    Query *query = c.queries ? find(*c.queries, id) : nullptr;
    return query && !query->active ? query : nullptr;
}

bool settle(Context &c, Query &query, bool wait) {
    // A program that asks for many queries, one after another, gets of each what was found of all; asking again looks
    // again.
    if (!query.settled && (wait || !std::exchange(query.examined, false))) {
        meet(c, wait ? &query : nullptr);
        query.examined = false;
    }
    return query.settled;
}

void queries_moved(Context &c) {
    if (!c.queries)
        return;
    for (const auto &[place, id] : c.queries->active) {
        if (!counts_pixels(place.first))
            continue;
        GLuint next = 0;
        REAL(glEndQuery)(place.first);
        REAL(glGenQueries)(1, &next);
        REAL(glBeginQuery)(place.first, next);
        c.queries->all.at(id).segments.push_back(segment(c, next));
    }
}

bool common_timestamp(GLint64 &time) {
    if (!query_context())
        return false;
    REAL(glGetInteger64v)(GL_TIMESTAMP, &time);
    comm::broadcast_value(comm::Collective::queries, time);
    return true;
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

// GL/glext.h does not have those of OpenGL ES 2.
extern "C" void glBeginQueryEXT(GLenum, GLuint);
extern "C" void glEndQueryEXT(GLenum);
extern "C" void glDeleteQueriesEXT(GLsizei, const GLuint *);
extern "C" void glGetQueryivEXT(GLenum, GLenum, GLint *);

// Each function under its name in the core, in ARB_occlusion_query and in EXT_occlusion_query_boolean.
#define MPIGLUT_QUERIES(vendor)                                                                                        \
    MPIGLUT_EXPORT void glBeginQuery##vendor(GLenum target, GLuint id) {                                               \
        begin(target, 0, id, [=] { REAL(glBeginQuery##vendor)(target, id); });                                         \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glEndQuery##vendor(GLenum target) {                                                            \
        end(target, 0, [=] { REAL(glEndQuery##vendor)(target); });                                                     \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glDeleteQueries##vendor(GLsizei count, const GLuint *ids) {                                    \
        remove(count, ids, [=] { REAL(glDeleteQueries##vendor)(count, ids); });                                        \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glGetQueryiv##vendor(GLenum target, GLenum name, GLint *value) {                               \
        REAL(glGetQueryiv##vendor)(target, name, value);                                                               \
        current_query(target, name, value);                                                                            \
    }
MPIGLUT_QUERIES()
MPIGLUT_QUERIES(ARB)
MPIGLUT_QUERIES(EXT)

MPIGLUT_EXPORT void glBeginQueryIndexed(GLenum target, GLuint index, GLuint id) {
    begin(target, index, id, [=] { REAL(glBeginQueryIndexed)(target, index, id); });
}

MPIGLUT_EXPORT void glEndQueryIndexed(GLenum target, GLuint index) {
    end(target, index, [=] { REAL(glEndQueryIndexed)(target, index); });
}

MPIGLUT_EXPORT void glQueryCounter(GLuint id, GLenum target) {
    count(id, target, [=] { REAL(glQueryCounter)(id, target); });
}
