// What a driver says of its progress, which differs from rank to rank and from moment to moment: whether a fence is
// signalled, whether a shader is compiled, how much memory is free. Programs draw by these answers, so all ranks get the
// same: a fence is signalled once it is on every rank, and memory is free where it is free on every rank.
#include "gl/value/agreed.h"

#include "base/export.h"
#include "base/real.h"
#include "gl/draw/queries.h"
#include "sync/comm.h"

#include <GL/glext.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

namespace mpiglut::gl {

std::int64_t least_of_ranks(std::int64_t mine) {
    std::vector<std::int64_t> all;
    const bool together = comm::all_values(comm::Collective::queries, mine, all);
    return together ? *std::min_element(all.begin(), all.end()) : mine; // else the ranks have parted ways
}

int measured_numbers(GLenum name) {
    switch (name) {
    case GL_VBO_FREE_MEMORY_ATI:
    case GL_TEXTURE_FREE_MEMORY_ATI:
    case GL_RENDERBUFFER_FREE_MEMORY_ATI:
        return 4;
    case GL_GPU_MEMORY_INFO_DEDICATED_VIDMEM_NVX:
    case GL_GPU_MEMORY_INFO_TOTAL_AVAILABLE_MEMORY_NVX:
    case GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX:
    case GL_GPU_MEMORY_INFO_EVICTION_COUNT_NVX:
    case GL_GPU_MEMORY_INFO_EVICTED_MEMORY_NVX:
        return 1;
    default:
        return 0;
    }
}

void agree_on_completion(GLenum name, GLint *value) {
    if (name == GL_COMPLETION_STATUS_KHR && value && query_context())
        *value = static_cast<GLint>(least_of_ranks(*value));
}

namespace {

/// Fences that are signalled on every rank: no rank has to ask again.
class Signalled {
  public:
    bool has(GLsync fence) {
        const std::lock_guard lock(mutex_);
        return fences_.contains(fence);
    }
    void add(GLsync fence) {
        const std::lock_guard lock(mutex_);
        fences_.insert(fence);
    }
    void remove(GLsync fence) {
        const std::lock_guard lock(mutex_);
        fences_.erase(fence);
    }

  private:
    std::mutex mutex_;
    std::set<GLsync> fences_;
};

Signalled &signalled() {
    static Signalled one;
    return one;
}

/// From the least that a rank has to what all have.
constexpr std::array<GLenum, 4> answers{GL_WAIT_FAILED, GL_TIMEOUT_EXPIRED, GL_CONDITION_SATISFIED,
                                        GL_ALREADY_SIGNALED};

GLenum wait_for(GLsync fence, GLbitfield flags, GLuint64 timeout) {
    const GLenum mine = REAL(glClientWaitSync)(fence, flags, timeout);
    const auto place = std::find(answers.begin(), answers.end(), mine) - answers.begin();
    const GLenum agreed = answers.at(static_cast<std::size_t>(std::clamp<std::int64_t>(least_of_ranks(place), 0, 3)));
    if (agreed == GL_CONDITION_SATISFIED || agreed == GL_ALREADY_SIGNALED)
        signalled().add(fence);
    return mine == GL_WAIT_FAILED ? mine : agreed;
}

} // namespace

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT GLenum glClientWaitSync(GLsync fence, GLbitfield flags, GLuint64 timeout) {
    if (!query_context() || signalled().has(fence))
        return REAL(glClientWaitSync)(fence, flags, timeout);
    return wait_for(fence, flags, timeout);
}

MPIGLUT_EXPORT void glGetSynciv(GLsync fence, GLenum name, GLsizei room, GLsizei *length, GLint *values) {
    REAL(glGetSynciv)(fence, name, room, length, values);
    if (name != GL_SYNC_STATUS || room < 1 || !values || !query_context() || signalled().has(fence))
        return;
    const bool everywhere = least_of_ranks(*values == GL_SIGNALED ? 1 : 0) != 0;
    *values = everywhere ? GL_SIGNALED : GL_UNSIGNALED;
    if (everywhere)
        signalled().add(fence);
}

// Its address may be another fence's next.
MPIGLUT_EXPORT void glDeleteSync(GLsync fence) {
    signalled().remove(fence);
    REAL(glDeleteSync)(fence);
}
