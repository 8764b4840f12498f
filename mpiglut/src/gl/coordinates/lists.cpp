#include "gl/coordinates/lists.h"

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/habits.h"
#include "gl/pixel/pixel_store.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mpiglut::gl {

namespace {

/// Names of real lists that the program did not ask for: so high that it neither makes them up nor, with our
/// glGenLists, gets them.
constexpr GLuint first_hidden = 0x40000000;
constexpr int deepest = 64; ///< GL_MAX_LIST_NESTING of every driver

GLuint hidden_list(Lists &lists) {
    const std::lock_guard lock(lists.mutex);
    if (lists.next_name == 0) {
        lists.next_name = REAL(glGenLists)(1);
        REAL(glDeleteLists)(lists.next_name, 1);
    }
    GLuint name = lists.hidden.empty() ? first_hidden : *lists.hidden.rbegin() + 1;
    while (REAL(glIsList)(name))
        ++name;
    lists.hidden.insert(name);
    return name;
}

void close_part(Recording &recording) {
    REAL(glEndList)();
    recording.steps.emplace_back(recording.part);
    recording.open = false;
}

void open_part(Context &c) {
    Recording &recording = c.recording;
    recording.part = hidden_list(*c.lists);
    REAL(glNewList)(recording.part, recording.mode);
    recording.open = true;
}

/// The real list is closed.
void store(Context &c, Operation operation) {
    if (c.recording.mode == GL_COMPILE_AND_EXECUTE)
        operation(c);
    c.recording.steps.emplace_back(std::move(operation));
}

/// Is there a push that the mirror would have to know of now?
bool unnoted(const Recording &recording) {
    return std::any_of(recording.pushes.begin(), recording.pushes.end(),
                       [](const OpenPush &push) { return push.mask && !push.noted; });
}

/// Nothing that the mirror keeps has changed since these pushes, so its present state is what they saved.
void note_pushes(Context &c) {
    std::vector<OpenPush> &pushes = c.recording.pushes;
    for (std::size_t i = 0; i < pushes.size(); ++i) {
        if (!pushes[i].mask || std::exchange(pushes[i].noted, true))
            continue;
        const int above = static_cast<int>(pushes.size() - 1 - i);
        store(c, [mask = pushes[i].mask, above](Context &now) { save_attrib(now, mask, attrib_depth() - above); });
    }
}

/// Null: one real list, or none at all.
std::shared_ptr<const Steps> steps_of(Context &c, GLuint list) {
    if (!c.lists->any_split)
        return nullptr;
    const std::lock_guard lock(c.lists->mutex);
    const auto found = c.lists->split.find(list);
    return found == c.lists->split.end() ? nullptr : found->second;
}

/// Replaces what the name stood for (null: by a single real list, or nothing) and frees what only it used.
void replace(Context &c, GLuint list, std::shared_ptr<const Steps> steps) {
    Lists &lists = *c.lists;
    if (!steps && !lists.any_split)
        return;
    const std::lock_guard lock(lists.mutex);
    std::shared_ptr<const Steps> before = std::exchange(lists.split[list], steps);
    if (!steps)
        lists.split.erase(list);
    lists.any_split = !lists.split.empty();
    if (!before)
        return;
    for (const Step &step : *before)
        if (const GLuint *part = std::get_if<GLuint>(&step); part && lists.hidden.erase(*part))
            REAL(glDeleteLists)(*part, 1);
}

void call_list(Context &c, GLuint list) {
    const std::shared_ptr<const Steps> steps = steps_of(c, list);
    if (!steps) {
        const Covering covering(4);
        REAL(glCallList)(list);
        return;
    }
    thread_local int depth = 0;
    if (depth >= deepest)
        return;
    ++depth;
    for (const Step &step : *steps) {
        if (const GLuint *part = std::get_if<GLuint>(&step)) {
            before_draw();
            REAL(glCallList)(*part);
        } else {
            std::get<Operation>(step)(c);
        }
    }
    --depth;
}

void call_lists(Context &c, const std::vector<GLuint> &offsets) {
    const auto base = static_cast<GLuint>(get(GL_LIST_BASE));
    const auto is_split = [&](GLuint offset) { return steps_of(c, base + offset) != nullptr; };
    if (std::none_of(offsets.begin(), offsets.end(), is_split)) {
        const Covering covering(covering_vertices);
        REAL(glCallLists)(static_cast<GLsizei>(offsets.size()), GL_UNSIGNED_INT, offsets.data());
        return;
    }
    for (const GLuint offset : offsets)
        call_list(c, base + offset);
}

template <class T> GLuint element(const std::byte *at, std::size_t i) {
    T value;
    std::memcpy(&value, at + i * sizeof value, sizeof value);
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<GLuint>(static_cast<GLint>(value));
    else
        return static_cast<GLuint>(value);
}

/// GL_2_BYTES and so on: high byte first.
template <int bytes> GLuint number(const std::byte *at, std::size_t i) {
    GLuint value = 0;
    for (int k = 0; k < bytes; ++k)
        value = value << 8 | static_cast<GLuint>(at[i * bytes + k]);
    return value;
}

using Element = GLuint (*)(const std::byte *, std::size_t);

/// Null for a type that GL does not know.
Element element_of(GLenum type) {
    switch (type) {
    case GL_BYTE: return element<GLbyte>;
    case GL_UNSIGNED_BYTE: return element<GLubyte>;
    case GL_SHORT: return element<GLshort>;
    case GL_UNSIGNED_SHORT: return element<GLushort>;
    case GL_INT: return element<GLint>;
    case GL_UNSIGNED_INT: return element<GLuint>;
    case GL_FLOAT: return element<GLfloat>;
    case GL_2_BYTES: return number<2>;
    case GL_3_BYTES: return number<3>;
    case GL_4_BYTES: return number<4>;
    default: return nullptr;
    }
}

} // namespace

void record(Context &c, Operation operation) {
    close_part(c.recording);
    note_pushes(c);
    store(c, std::move(operation));
    open_part(c);
}

Unrecorded::Unrecorded(Context &c) {
    if (!c.recording.open)
        return;
    context_ = &c;
    close_part(c.recording);
}

Unrecorded::~Unrecorded() {
    if (context_)
        open_part(*context_);
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glNewList(GLuint list, GLenum mode) {
    REAL(glNewList)(list, mode);
    Context *c = current();
    if (!c || !c->limits.fixed_function || c->recording.open || list == 0)
        return;
    if (mode != GL_COMPILE && mode != GL_COMPILE_AND_EXECUTE)
        return;
    c->recording = {true, list, list, mode, {}, {}};
    if (GLuint &next = c->lists->next_name; next && list >= next && list < first_hidden)
        next = list + 1;
}

MPIGLUT_EXPORT void glEndList() {
    Context *c = current();
    if (!c || !c->recording.open) {
        REAL(glEndList)();
        return;
    }
    Recording &recording = c->recording;
    if (unnoted(recording)) {
        close_part(recording);
        note_pushes(*c);
    } else if (recording.steps.empty()) {
        REAL(glEndList)();
    } else {
        close_part(recording);
    }
    const Recording done = std::exchange(recording, {});
    replace(*c, done.list, done.steps.empty() ? nullptr : std::make_shared<const Steps>(done.steps));
}

MPIGLUT_EXPORT void glCallList(GLuint list) {
    Context *c = current();
    if (!c) {
        REAL(glCallList)(list);
        return;
    }
    // A list that exists in one piece can be called from the real list; one that does not exist yet may come in parts.
    if (c->recording.open && !steps_of(*c, list) && REAL(glIsList)(list))
        REAL(glCallList)(list);
    else
        perform(*c, [list](Context &now) { call_list(now, list); });
}

MPIGLUT_EXPORT void glCallLists(GLsizei count, GLenum type, const void *names) {
    Context *c = current();
    const Element element = element_of(type);
    if (!c || !c->lists->any_split || !element || count <= 0 || !names) {
        const Covering covering(covering_vertices);
        REAL(glCallLists)(count, type, names);
        return;
    }
    std::vector<GLuint> offsets(count);
    for (GLsizei i = 0; i < count; ++i)
        offsets[i] = element(static_cast<const std::byte *>(names), i);
    perform(*c, [offsets = std::move(offsets)](Context &now) { call_lists(now, offsets); });
}

MPIGLUT_EXPORT GLuint glGenLists(GLsizei range) {
    Context *c = current();
    if (!c || range <= 0 || c->lists->next_name == 0)
        return REAL(glGenLists)(range);
    const Unrecorded unrecorded(*c);
    const std::lock_guard lock(c->lists->mutex);
    GLuint &next = c->lists->next_name;
    const auto count = static_cast<GLuint>(range);
    if (count >= first_hidden - next)
        return 0;
    GLuint first = REAL(glGenLists)(range);
    if (first >= first_hidden) { // this driver goes on after the highest name
        REAL(glDeleteLists)(first, range);
        first = next;
        for (GLuint name = first; name < first + count; ++name) { // empty lists, which is how GL marks names as used
            REAL(glNewList)(name, GL_COMPILE);
            REAL(glEndList)();
        }
    }
    next = std::max(next, first + count);
    return first;
}

MPIGLUT_EXPORT void glDeleteLists(GLuint list, GLsizei range) {
    Context *c = current();
    if (c && range > 0 && c->lists->any_split) {
        std::vector<GLuint> gone;
        {
            const std::lock_guard lock(c->lists->mutex);
            for (const auto &[name, steps] : c->lists->split)
                if (name - list < static_cast<GLuint>(range))
                    gone.push_back(name);
        }
        for (const GLuint name : gone)
            replace(*c, name, nullptr);
    }
    REAL(glDeleteLists)(list, range);
}

MPIGLUT_EXPORT GLboolean glIsList(GLuint list) {
    Context *c = current();
    if (c && list >= first_hidden) {
        const std::lock_guard lock(c->lists->mutex);
        if (c->lists->hidden.count(list))
            return GL_FALSE;
    }
    return REAL(glIsList)(list);
}
