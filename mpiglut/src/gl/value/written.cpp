#include "gl/value/written.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/role.h"
#include "gl/context/error.h"
#include "gl/draw/queries.h"
#include "gl/pixel/gather.h"
#include "gl/pixel/pixel_store.h"
#include "gl/shader/glsl.h"
#include "gl/shader/programs.h"
#include "gl/value/buffer_memory.h"
#include "run/report.h"
#include "sync/comm.h"

#include <GL/glext.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mpiglut::gl {

namespace {

using Word = std::uint32_t;
using Words = std::vector<Word>; ///< bytes behind the last whole word are a word with zeros
/// Names are those of a share group.
using Name = std::pair<GLuint, const Lists *>;

/// A buffer that fragments of the window may have changed since all ranks had the same in it.
struct Written {
    std::shared_ptr<Lists> group; ///< kept, so that no other has its address
    GLuint before = 0;            ///< a buffer of the library with what was in it then
    GLint64 bytes = 0;
    Change change = Change::mixed;
};

std::mutex mutex; ///< nobody waits for other ranks with it
auto &effects = *new std::map<Name, SideEffects>; ///< by program; threads may draw while static objects are destroyed
auto &written = *new std::map<Name, Written>;     ///< by buffer
std::atomic<bool> any_texts{false};

Name name_of(const Context &c, GLuint name) { return {name, c.lists.get()}; }

/// A buffer that is bound to read from, or to copy to, while this lives.
class Bound {
  public:
    Bound(GLenum target, GLenum binding, GLuint buffer) : target_(target), before_(get(binding)) {
        REAL(glBindBuffer)(target_, buffer);
    }
    ~Bound() { REAL(glBindBuffer)(target_, static_cast<GLuint>(before_)); }
    Bound(const Bound &) = delete;
    Bound &operator=(const Bound &) = delete;

  private:
    GLenum target_;
    GLint before_;
};
struct ToRead : Bound {
    explicit ToRead(GLuint buffer) : Bound(GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING, buffer) {}
};
struct ToWrite : Bound {
    explicit ToWrite(GLuint buffer) : Bound(GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER_BINDING, buffer) {}
};

/// A buffer of the library's with what is in that one.
GLuint copy_of(GLuint buffer, GLint64 bytes) {
    GLuint copy = 0;
    REAL(glGenBuffers)(1, &copy);
    const ToRead from(buffer);
    const ToWrite to(copy);
    REAL(glBufferData)(GL_COPY_WRITE_BUFFER, bytes, nullptr, GL_STREAM_COPY);
    REAL(glMemoryBarrier)(GL_BUFFER_UPDATE_BARRIER_BIT);
    REAL(glCopyBufferSubData)(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, bytes);
    return copy;
}

/// Of a buffer of the library's, which is deleted.
Words take(const Context &c, GLuint copy, GLint64 bytes) {
    Words words((static_cast<std::size_t>(bytes) + sizeof(Word) - 1) / sizeof(Word));
    {
        const ToRead bound(copy);
        if (!c.limits.es) {
            REAL(glGetBufferSubData)(GL_COPY_READ_BUFFER, 0, bytes, words.data());
        } else if (const void *const data = REAL(glMapBufferRange)(GL_COPY_READ_BUFFER, 0, bytes, GL_MAP_READ_BIT)) {
            std::memcpy(words.data(), data, static_cast<std::size_t>(bytes));
            REAL(glUnmapBuffer)(GL_COPY_READ_BUFFER);
        }
    }
    REAL(glDeleteBuffers)(1, &copy);
    return words;
}

/// Keeps what is in the buffer.
Written keep(Context &c, GLuint buffer, Change change) {
    GLint64 bytes = 0;
    {
        const ToRead bound(buffer);
        REAL(glGetBufferParameteri64v)(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &bytes);
    }
    return {c.lists, copy_of(buffer, bytes), bytes, change};
}

struct Changed {
    Word at, value;
};

std::vector<Changed> changes(const Words &before, const Words &now) {
    std::vector<Changed> all;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (now[i] != before[i])
            all.push_back({static_cast<Word>(i), now[i]});
    return all;
}

/// By rank; a dead rank has changed nothing. False where the ranks have parted ways.
bool gather(const std::vector<Changed> &mine, std::vector<std::vector<Changed>> &all) {
    std::vector<std::size_t> sizes;
    if (!comm::all_values(comm::Collective::buffers, mine.size() * sizeof(Changed), sizes))
        return false;
    std::vector<comm::Bytes> bytes;
    if (!comm::all_gather(comm::Collective::buffers, std::as_bytes(std::span(mine)), sizes, bytes))
        return false;
    for (const comm::Bytes &one : bytes) {
        all.emplace_back(one.size() / sizeof(Changed));
        if (!all.back().empty())
            std::memcpy(all.back().data(), one.data(), all.back().size() * sizeof(Changed));
    }
    return true;
}

/// What a word becomes when one more rank has changed it to `theirs`.
Word combine(Change change, Word now, Word theirs, Word before) {
    const auto least_signed = [](Word a, Word b) { return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b); };
    switch (change) {
    case Change::added:
        return now + (theirs - before);
    case Change::least:
        return std::min(now, theirs);
    case Change::least_signed:
        return std::min(now, theirs, least_signed);
    case Change::greatest:
        return std::max(now, theirs);
    case Change::greatest_signed:
        return std::max(now, theirs, least_signed);
    case Change::anded:
        return now & theirs;
    case Change::ored:
        return now | theirs;
    case Change::xored:
        return now ^ theirs ^ before;
    case Change::assigned:
    case Change::mixed:
        break;
    }
    return now == before ? theirs : now;
}

/// The buffer's words after all ranks' changes.
Words put_together(const Words &before, const std::vector<std::vector<Changed>> &all, Change change) {
    Words words = before;
    bool differ = false;
    for (const std::vector<Changed> &one : all)
        for (const auto &[at, theirs] : one) {
            if (at >= words.size())
                continue;
            const Word now = words[at];
            words[at] = combine(change, now, theirs, before[at]);
            differ |= (change == Change::assigned || change == Change::mixed) && now != before[at] && now != theirs;
        }
    if (differ)
        report_once(Report::note, "fragments on several tiles have written to the same word of a buffer: all ranks have "
                                  "what the first of these tiles wrote");
    return words;
}

/// Takes it out of what is known; nothing if it is not there.
std::optional<Written> extract(const Context &c, GLuint buffer) {
    const std::lock_guard lock(mutex);
    auto found = written.extract(name_of(c, buffer));
    return found ? std::optional(std::move(found.mapped())) : std::nullopt;
}

void put(const Context &c, GLuint buffer, const Written &one) {
    const std::lock_guard lock(mutex);
    written.insert_or_assign(name_of(c, buffer), one);
}

void drop(const Written &one) {
    const ErrorScope errors;
    REAL(glDeleteBuffers)(1, &one.before);
}

void settle(Context &c, GLuint buffer, const Written &one) {
    const ErrorScope errors;
    // A program's buffer may be one that cannot be mapped.
    const Words before = take(c, one.before, one.bytes), now = take(c, copy_of(buffer, one.bytes), one.bytes);
    std::vector<std::vector<Changed>> all;
    if (!gather(changes(before, now), all))
        return;
    const Words words = put_together(before, all, one.change);
    if (words == now)
        return;
    const ToWrite bound(buffer);
    write_buffer(GL_COPY_WRITE_BUFFER, 0, std::as_bytes(std::span(words)).first(static_cast<std::size_t>(one.bytes)));
}

/// Of an interface of the program: calls do_with(index, binding) for each resource. Which shader uses it is not asked:
/// Mesa 22 says none, where a block is used by atomic functions alone.
template <class F> void each_resource(GLuint program, GLenum interface, F do_with) {
    GLint count = 0;
    REAL(glGetProgramInterfaceiv)(program, interface, GL_ACTIVE_RESOURCES, &count);
    for (GLint i = 0; i < count; ++i) {
        constexpr GLenum asked = GL_BUFFER_BINDING;
        GLint binding = 0;
        REAL(glGetProgramResourceiv)(program, interface, static_cast<GLuint>(i), 1, &asked, 1, nullptr, &binding);
        do_with(static_cast<GLuint>(i), static_cast<GLuint>(binding));
    }
}

std::string name_of_block(GLuint program, GLuint index) {
    char name[256] = "";
    REAL(glGetProgramResourceName)(program, GL_SHADER_STORAGE_BLOCK, index, sizeof name, nullptr, name);
    const std::string whole(name);
    return whole.substr(0, whole.find('['));
}

GLuint buffer_at(GLenum binding, GLuint index) {
    GLint buffer = 0;
    REAL(glGetIntegeri_v)(binding, index, &buffer);
    return static_cast<GLuint>(buffer);
}

/// The buffers that fragments of the program write now, and how.
std::map<GLuint, Change> buffers_of(GLuint program, const SideEffects &known) {
    std::map<GLuint, Change> all;
    const auto add = [&all](GLuint buffer, Change change) {
        if (buffer && !all.emplace(buffer, change).second && all[buffer] != change)
            all[buffer] = Change::mixed;
    };
    if (known.counters)
        each_resource(program, GL_ATOMIC_COUNTER_BUFFER, [&](GLuint, GLuint binding) {
            add(buffer_at(GL_ATOMIC_COUNTER_BUFFER_BINDING, binding), *known.counters);
        });
    std::map<std::string, std::vector<GLuint>> bindings;
    if (!known.blocks.empty())
        each_resource(program, GL_SHADER_STORAGE_BLOCK, [&](GLuint index, GLuint binding) {
            bindings[name_of_block(program, index)].push_back(binding);
        });
    for (const WrittenBlock &block : known.blocks)
        for (const auto &[name, all_of_it] : bindings)
            if (name == block.name || !bindings.contains(block.name)) // which may be a macro's
                for (const GLuint binding : all_of_it)
                    add(buffer_at(GL_SHADER_STORAGE_BUFFER_BINDING, binding), block.change);
    return all;
}

void add_to(SideEffects &all, const SideEffects &more) {
    if (more.counters)
        all.counters = all.counters && all.counters != more.counters ? Change::mixed : more.counters;
    all.blocks.insert(all.blocks.end(), more.blocks.begin(), more.blocks.end());
}

std::optional<SideEffects> effects_known_of(const Context &c, GLuint program) {
    const std::lock_guard lock(mutex);
    const auto found = effects.find(name_of(c, program));
    return found == effects.end() ? std::nullopt : std::optional(found->second);
}

SideEffects effects_of(GLuint program) {
    SideEffects all;
    GLuint shaders[16] = {};
    GLsizei count = 0;
    REAL(glGetAttachedShaders)(program, 16, &count, shaders);
    for (GLsizei i = 0; i < count; ++i) {
        GLint kind = 0;
        REAL(glGetShaderiv)(shaders[i], GL_SHADER_TYPE, &kind);
        if (kind == GL_FRAGMENT_SHADER)
            add_to(all, side_effects({source_of(shaders[i])}));
    }
    return all;
}

void look_at_draw() {
    Context *const c = query_context();
    if (!c || c->recording.open || c->render_mode != GL_RENDER)
        return;
    const GLuint program = fragment_program(*c);
    const std::optional<SideEffects> known = effects_known_of(*c, program);
    if (!known)
        return;
    const ErrorScope errors;
    if (role() == Role::ticks)
        state().counts_samples = true; // no fragment may be drawn by two tiles
    if (draws_window(*c))
        ask_behind(*c->surface, {0, 0, c->surface->part.full_width, c->surface->part.full_height});
    for (const auto &[buffer, change] : buffers_of(program, *known)) {
        // A framebuffer object gets the same on every rank, and adds the same to what each rank has.
        if (const std::optional<Written> one = extract(*c, buffer)) {
            if (draws_window(*c) && one->change == change) {
                put(*c, buffer, *one);
                continue;
            }
            settle(*c, buffer, *one);
        }
        if (draws_window(*c))
            put(*c, buffer, keep(*c, buffer, change));
    }
}

void know(GLuint program, const SideEffects &of_program) {
    const Context *const c = query_context();
    if (c && of_program.to_buffers() && !c->limits.since(43, 31)) // program interfaces
        return report_once(Report::note, "a fragment shader writes to a buffer: before OpenGL 4.3 and OpenGL ES 3.1 each "
                                         "tile has what its own part of the window gives");
    if (!c)
        return;
    const std::lock_guard lock(mutex);
    effects.erase(name_of(*c, program));
    if (of_program.to_buffers())
        effects[name_of(*c, program)] = of_program;
    if (of_program.to_buffers())
        note_writes = look_at_draw;
}

/// The program says that it is going to use what shaders have written.
void note_barrier(GLbitfield barriers) {
    constexpr GLbitfield to_read = GL_BUFFER_UPDATE_BARRIER_BIT | GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT;
    if (!fragments_write() || barriers & to_read || !query_context())
        return;
    const std::lock_guard lock(mutex);
    if (!written.empty())
        report_once(Report::note, "a shader may read what fragments of the window have written to a buffer: on each tile "
                                  "it reads what that tile's fragments wrote");
}

} // namespace

void note_written_buffers() { any_texts = true; }

void note_linked(GLuint program) {
    if (!any_texts)
        return;
    const ErrorScope errors;
    know(program, effects_of(program));
}

void note_made_of(GLuint program, const SideEffects &of_shader) { know(program, of_shader); }

void settle_buffer(GLuint buffer) {
    Context *const c = fragments_write() && buffer ? query_context() : nullptr;
    if (!c)
        return;
    if (const std::optional<Written> one = extract(*c, buffer))
        settle(*c, buffer, *one);
}

void change_buffer(GLuint buffer, GLintptr at, GLsizeiptr bytes) {
    Context *const c = fragments_write() && buffer ? query_context() : nullptr;
    if (!c)
        return;
    const std::optional<Written> one = extract(*c, buffer);
    if (one && at == 0 && bytes == one->bytes)
        drop(*one);
    else if (one)
        settle(*c, buffer, *one);
}

void drop_buffer(GLuint buffer) {
    const Context *const c = fragments_write() && buffer ? query_context() : nullptr;
    if (!c)
        return;
    if (const std::optional<Written> one = extract(*c, buffer))
        drop(*one);
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glGetBufferSubData(GLenum target, GLintptr at, GLsizeiptr bytes, void *data) {
    if (fragments_write())
        settle_buffer(bound_buffer(target));
    REAL(glGetBufferSubData)(target, at, bytes, data);
}

MPIGLUT_EXPORT void glGetNamedBufferSubData(GLuint buffer, GLintptr at, GLsizeiptr bytes, void *data) {
    settle_buffer(buffer);
    REAL(glGetNamedBufferSubData)(buffer, at, bytes, data);
}

MPIGLUT_EXPORT void glMemoryBarrier(GLbitfield barriers) {
    note_barrier(barriers);
    REAL(glMemoryBarrier)(barriers);
}

MPIGLUT_EXPORT void glMemoryBarrierByRegion(GLbitfield barriers) {
    note_barrier(barriers);
    REAL(glMemoryBarrierByRegion)(barriers);
}
