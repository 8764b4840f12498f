// The vertices of draw calls, as far as the library sees them: in the program's memory, and in buffers that are mapped
// for good; their data passes through no call.
#include "gl/coordinates/mirror.h"
#include "gl/pixel/pixel_store.h"
#include "gl/value/values.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace mpiglut::gl {

namespace {

using content::Call;
using content::Type;

constexpr std::size_t most_arrays = 4;     ///< of a draw call, others each tick
constexpr std::uint64_t most_vertices = 4; ///< of each
constexpr GLint64 largest_block = 1 << 16; ///< of uniforms; a larger one holds more than one draw call's

/// One enabled array.
struct Array {
    Memory memory;
    std::size_t size = 0, stride = 0;
    GLuint divisor = 0;
    Type type = Type::floats;
};

std::size_t bytes_of(GLenum type) {
    switch (type) {
    case GL_BYTE:
    case GL_UNSIGNED_BYTE:
        return 1;
    case GL_SHORT:
    case GL_UNSIGNED_SHORT:
    case GL_HALF_FLOAT:
        return 2;
    case GL_DOUBLE:
        return 8;
    default:
        return 4;
    }
}

Type kind_of(GLenum type) {
    return type == GL_FLOAT    ? Type::floats
           : type == GL_DOUBLE ? Type::doubles
           : type == GL_INT    ? Type::ints
                               : Type::bytes;
}

constexpr std::size_t no_end = static_cast<std::size_t>(-1);

/// Where an array's data is; nothing for a buffer with data that passed through a call.
Memory memory_of(GLuint buffer, const void *pointer) {
    if (buffer == 0)
        return {static_cast<const unsigned char *>(pointer), no_end};
    return mapped_for_good(buffer, reinterpret_cast<std::size_t>(pointer));
}

Array array_of(Memory memory, GLint size, GLenum type, GLint stride, GLuint divisor = 0) {
    const std::size_t bytes = bytes_of(type) * static_cast<std::size_t>(size == GL_BGRA ? 4 : std::clamp(size, 1, 4));
    return {memory, bytes, stride > 0 ? static_cast<std::size_t>(stride) : bytes, divisor, kind_of(type)};
}

void add(std::vector<Array> &arrays, const Array &array) {
    if (array.memory.data)
        arrays.push_back(array);
}

/// Those that the fixed function has names for.
void add_fixed(std::vector<Array> &arrays) {
    struct Kind {
        GLenum array, buffer, pointer, size, type, stride;
    };
    constexpr Kind kinds[] = {{GL_VERTEX_ARRAY, GL_VERTEX_ARRAY_BUFFER_BINDING, GL_VERTEX_ARRAY_POINTER,
                               GL_VERTEX_ARRAY_SIZE, GL_VERTEX_ARRAY_TYPE, GL_VERTEX_ARRAY_STRIDE},
                              {GL_COLOR_ARRAY, GL_COLOR_ARRAY_BUFFER_BINDING, GL_COLOR_ARRAY_POINTER,
                               GL_COLOR_ARRAY_SIZE, GL_COLOR_ARRAY_TYPE, GL_COLOR_ARRAY_STRIDE},
                              {GL_TEXTURE_COORD_ARRAY, GL_TEXTURE_COORD_ARRAY_BUFFER_BINDING,
                               GL_TEXTURE_COORD_ARRAY_POINTER, GL_TEXTURE_COORD_ARRAY_SIZE, GL_TEXTURE_COORD_ARRAY_TYPE,
                               GL_TEXTURE_COORD_ARRAY_STRIDE},
                              {GL_NORMAL_ARRAY, GL_NORMAL_ARRAY_BUFFER_BINDING, GL_NORMAL_ARRAY_POINTER, GL_NONE,
                               GL_NORMAL_ARRAY_TYPE, GL_NORMAL_ARRAY_STRIDE}};
    for (const Kind &kind : kinds) {
        if (!REAL(glIsEnabled)(kind.array))
            continue;
        const auto buffer = static_cast<GLuint>(get(kind.buffer));
        if (buffer == 0 && kind.array != GL_VERTEX_ARRAY)
            continue; // may be enabled, and of no use
        void *start = nullptr;
        REAL(glGetPointerv)(kind.pointer, &start);
        add(arrays, array_of(memory_of(buffer, start), kind.size ? get(kind.size) : 3,
                             static_cast<GLenum>(get(kind.type)), get(kind.stride)));
    }
}

GLint attribute(GLuint index, GLenum name) {
    GLint value = 0;
    REAL(glGetVertexAttribiv)(index, name, &value);
    return value;
}

GLint binding(GLuint index, GLenum name) {
    GLint value = 0;
    REAL(glGetIntegeri_v)(name, index, &value);
    return value;
}

Array generic_array(const Context &c, GLuint index) {
    const auto buffer = static_cast<GLuint>(attribute(index, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING));
    const GLint size = attribute(index, GL_VERTEX_ATTRIB_ARRAY_SIZE);
    const auto type = static_cast<GLenum>(attribute(index, GL_VERTEX_ATTRIB_ARRAY_TYPE));
    if (buffer && c.limits.since(43, 31)) {
        const auto slot = static_cast<GLuint>(attribute(index, GL_VERTEX_ATTRIB_BINDING));
        const std::size_t at = static_cast<std::size_t>(binding(slot, GL_VERTEX_BINDING_OFFSET)) +
                               static_cast<std::size_t>(attribute(index, GL_VERTEX_ATTRIB_RELATIVE_OFFSET));
        return array_of(mapped_for_good(buffer, at), size, type, binding(slot, GL_VERTEX_BINDING_STRIDE),
                        static_cast<GLuint>(binding(slot, GL_VERTEX_BINDING_DIVISOR)));
    }
    void *start = nullptr;
    REAL(glGetVertexAttribPointerv)(index, GL_VERTEX_ATTRIB_ARRAY_POINTER, &start);
    const GLint divisor = c.limits.since(33, 30) ? attribute(index, GL_VERTEX_ATTRIB_ARRAY_DIVISOR) : 0;
    return array_of(memory_of(buffer, start), size, type, attribute(index, GL_VERTEX_ATTRIB_ARRAY_STRIDE),
                    static_cast<GLuint>(divisor));
}

/// The vertex shader reads it. An array that is enabled and not read may have no memory any more.
bool is_read(GLuint index) {
    const auto program = static_cast<GLuint>(get(GL_CURRENT_PROGRAM));
    if (program == 0)
        return index == 0;
    GLint count = 0;
    REAL(glGetProgramiv)(program, GL_ACTIVE_ATTRIBUTES, &count);
    for (GLint i = 0; i < count; ++i) {
        GLchar name[100] = "";
        GLint size = 0;
        GLenum type = GL_NONE;
        REAL(glGetActiveAttrib)(program, static_cast<GLuint>(i), sizeof name, nullptr, &size, &type, name);
        if (REAL(glGetAttribLocation)(program, name) == static_cast<GLint>(index))
            return true;
    }
    return false;
}

std::vector<Array> seen_arrays(const Context &c) {
    std::vector<Array> arrays;
    if (c.limits.fixed_function)
        add_fixed(arrays);
    const GLint most = c.limits.version >= 20 ? std::min(get(GL_MAX_VERTEX_ATTRIBS), 16) : 0;
    for (GLuint i = 0; i < static_cast<GLuint>(most); ++i)
        if (attribute(i, GL_VERTEX_ATTRIB_ARRAY_ENABLED) &&
            (attribute(i, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING) || is_read(i)))
            add(arrays, generic_array(c, i));
    return arrays;
}

/// Of a draw call; none where they are in the GL's own memory.
struct Indices {
    Memory memory;
    std::optional<GLuint> restart; ///< the index that is none
};

Indices indices_of(const Context &c, const Draw &draw) {
    Indices indices;
    if (draw.index_type == GL_NONE)
        return indices;
    indices.memory = memory_of(static_cast<GLuint>(get(GL_ELEMENT_ARRAY_BUFFER_BINDING)), draw.indices);
    if (c.limits.version >= 31 && !c.limits.es && REAL(glIsEnabled)(GL_PRIMITIVE_RESTART))
        indices.restart = static_cast<GLuint>(get(GL_PRIMITIVE_RESTART_INDEX));
    if (c.limits.since(43, 30) && REAL(glIsEnabled)(GL_PRIMITIVE_RESTART_FIXED_INDEX))
        indices.restart = static_cast<GLuint>((std::uint64_t{1} << 8 * bytes_of(draw.index_type)) - 1);
    return indices;
}

/// Which vertex the i-th one is; nothing where that is unknown.
std::optional<std::size_t> vertex(const Draw &draw, const Indices &indices, std::size_t i) {
    if (draw.index_type == GL_NONE)
        return static_cast<std::size_t>(draw.first) + i;
    const std::size_t bytes = bytes_of(draw.index_type);
    if (!indices.memory.data || (i + 1) * bytes > indices.memory.bytes)
        return std::nullopt;
    GLuint index = 0; // the lowest byte comes first
    std::memcpy(&index, indices.memory.data + i * bytes, bytes);
    if (indices.restart == index)
        return std::nullopt;
    return static_cast<std::size_t>(std::int64_t{index} + draw.base_vertex);
}

void note_element(const Call &call, const Array &array, std::size_t index) {
    if (index < no_end / 64 / array.stride && index * array.stride + array.size <= array.memory.bytes)
        content::note(call, array.type, array.memory.data + index * array.stride, array.size);
}

void note_array(const Call &call, const Array &array, const Draw &draw, const Indices &indices) {
    const bool by_instance = array.divisor > 0;
    const auto count = static_cast<std::uint64_t>(by_instance ? draw.instances : draw.count);
    for (std::uint64_t i = 0; i < std::min(count, most_vertices); ++i) {
        const std::uint64_t which = (content::turn() + i * count / most_vertices) % count;
        const auto index = by_instance ? draw.base_instance + which / array.divisor : vertex(draw, indices, which);
        if (!index && array.memory.bytes == no_end)
            return; // it is unknown how far the program's memory goes
        if (!index) // the first one is drawn by most
            return note_element(call, array, static_cast<std::size_t>(std::max(draw.base_vertex, 0)));
        note_element(call, array, *index);
    }
}

/// Blocks of uniforms that are mapped for good.
void note_blocks(const Context &c, const Call &call) {
    if (!c.limits.since(31, 30) || !any_mapped_for_good())
        return;
    for (GLuint slot = 0; slot < 8; ++slot) {
        const auto buffer = static_cast<GLuint>(binding(slot, GL_UNIFORM_BUFFER_BINDING));
        GLint64 start = 0, size = 0;
        if (!buffer)
            continue;
        REAL(glGetInteger64i_v)(GL_UNIFORM_BUFFER_START, slot, &start);
        REAL(glGetInteger64i_v)(GL_UNIFORM_BUFFER_SIZE, slot, &size);
        const Memory memory = mapped_for_good(buffer, static_cast<std::size_t>(start));
        if (memory.data && size > 0 && size <= largest_block && static_cast<std::size_t>(size) <= memory.bytes)
            content::note_at(call, Type::floats, memory.data, static_cast<std::size_t>(size),
                             content::places(static_cast<std::size_t>(size)));
    }
}

void note_chosen(const Context &c, const Call &call, const Draw &draw) {
    const GLint numbers[] = {draw.first, draw.count, draw.instances, draw.base_vertex};
    content::note(call, Type::ints, numbers, sizeof numbers);
    if (draw.count <= 0 || draw.instances <= 0 || draw.first < 0)
        return;
    const std::vector<Array> arrays = seen_arrays(c);
    const Indices indices = arrays.empty() ? Indices{} : indices_of(c, draw);
    for (std::size_t i = 0; i < std::min(arrays.size(), most_arrays); ++i)
        note_array(call, arrays[arrays.size() > most_arrays ? (content::turn() + i) % arrays.size() : i], draw,
                   indices);
    note_blocks(c, call);
}

} // namespace

void note_draw(const Call &call, const Draw &draw) {
    if (!noted())
        return;
    buffers_used();
    if (content::draw_counts())
        note_chosen(*current(), call, draw);
}

void note_indirect(const Call &call, const Indirect &draws) {
    if (!noted())
        return;
    buffers_used();
    if (draws.count <= 0 || !content::draw_counts())
        return;
    const std::size_t words = draws.index_type ? 5 : 4, bytes = words * sizeof(GLuint);
    const std::size_t stride = draws.stride > 0 ? static_cast<std::size_t>(draws.stride) : bytes;
    const std::size_t which = content::turn() % static_cast<std::uint64_t>(draws.count) * stride;
    const Memory memory = memory_of(static_cast<GLuint>(get(GL_DRAW_INDIRECT_BUFFER_BINDING)), draws.commands);
    GLuint command[5] = {};
    if (!memory.data || which + bytes > memory.bytes) {
        content::note(call, Type::ints, &draws.count, sizeof draws.count);
        return;
    }
    std::memcpy(command, memory.data + which, bytes);
    content::note(call, Type::ints, command, bytes);
    Draw draw{.count = static_cast<GLsizei>(command[0]),
              .instances = static_cast<GLsizei>(command[1]),
              .base_instance = command[words - 1],
              .index_type = draws.index_type};
    if (draws.index_type) { // the indices begin at the place in the bound buffer
        draw.indices = reinterpret_cast<const void *>(std::size_t{command[2]} * bytes_of(draws.index_type));
        draw.base_vertex = static_cast<GLint>(command[3]);
    } else {
        draw.first = static_cast<GLint>(command[2]);
    }
    if (!draws.index_type || get(GL_ELEMENT_ARRAY_BUFFER_BINDING) != 0)
        note_chosen(*current(), call, draw);
}

} // namespace mpiglut::gl
