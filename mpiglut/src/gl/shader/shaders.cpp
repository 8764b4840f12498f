// The entry points through which shaders come in and programs become current.
#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "gl/context/error.h"
#include "gl/coordinates/projection.h"
#include "gl/shader/glsl.h"
#include "gl/shader/programs.h"
#include "gl/value/agreed.h"
#include "gl/value/values.h"
#include "gl/value/written.h"
#include "run/report.h"
#include "sync/comm.h"

#include <GL/glext.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpiglut::gl {

bool crop_possible(const Context &c) {
    const auto &wall = state().wall;
    const Part &part = c.surface->part;
    return std::max(part.full_width, wall.width) > c.limits.width ||
           std::max(part.full_height, wall.height) > c.limits.height;
}

namespace {

/// What comes of blocks of 2x2 pixels, apart from the choice of a texture's level.
bool asks_for_derivatives(std::string_view text) {
    constexpr std::string_view names[] = {"dFdx", "dFdy", "fwidth", "QueryLod", "QueryLOD"};
    return std::ranges::any_of(names, [text](std::string_view name) { return text.find(name) != text.npos; });
}

/// Memory that fragments of the window write is written on each tile by that tile's fragments. Of buffers they are put
/// together where the program reads them (value/written.h).
void look_at_side_effects(const std::vector<std::string_view> &strings) {
    if (comm::size() < 2)
        return;
    const SideEffects effects = side_effects(strings);
    if (effects.to_buffers())
        note_written_buffers();
    if (effects.images)
        report_once(Report::note, "a fragment shader writes to images: drawing to the window, each tile writes what its "
                                  "own part of it gives");
}

/// The text does not tell what to translate. `shader`: 0 where it has no name.
void report_doubt(GLuint shader, const char *what, const std::string &doubt, const char *result) {
    if (doubt.empty() || comm::size() < 2)
        return;
    const std::string named = shader ? "shader " + std::to_string(shader) : "shader";
    report_once(Report::note, std::string("the ") + what + " " + named + " may be wrong: " + doubt + ", so " + result);
}

std::optional<Strings> translate_stage(const Context &c, const std::vector<std::string_view> &strings, Stage stage,
                                       GLuint shader, const char *what) {
    std::string doubt;
    const auto translated = translate_position(strings, stage, c.limits.uniform_locations, &doubt, c.limits.es);
    report_doubt(shader, what, doubt, "it may draw to other places of the window");
    return translated;
}

std::optional<Strings> translate(GLenum kind, GLuint shader, const std::vector<std::string_view> &strings) {
    if (!active())
        return std::nullopt;
    const Context *c = current();
    const int locations = c ? c->limits.uniform_locations : 0;
    if (kind == GL_FRAGMENT_SHADER) {
        if (std::ranges::any_of(strings, asks_for_derivatives))
            note_derivatives();
        look_at_side_effects(strings);
        std::string doubt;
        const auto translated = translate_fragment(strings, locations, &doubt, c && c->limits.es);
        report_doubt(shader, "fragment", doubt, "its gl_FragCoord may count from the tile's corner");
        return translated;
    }
    if (!c || !crop_possible(*c))
        return std::nullopt;
    switch (kind) {
    case GL_VERTEX_SHADER:
        return translate_stage(*c, strings, Stage::vertex, shader, "vertex");
    case GL_TESS_EVALUATION_SHADER:
        return translate_stage(*c, strings, Stage::evaluation, shader, "tessellation");
    case GL_GEOMETRY_SHADER:
        return translate_stage(*c, strings, Stage::geometry, shader, "geometry");
    default:
        return std::nullopt;
    }
}

/// What glShaderSource was given, as views; nothing when it is for GL to complain about.
std::vector<std::string_view> views(GLsizei count, const GLchar *const *strings, const GLint *lengths) {
    std::vector<std::string_view> result;
    for (GLsizei i = 0; strings && i < count; ++i) {
        if (!strings[i])
            return {};
        const bool measured = lengths && lengths[i] >= 0;
        result.emplace_back(strings[i], measured ? static_cast<std::size_t>(lengths[i]) : std::strlen(strings[i]));
    }
    return result;
}

/// call(count, strings, lengths) hands the source to the driver, translated if need be.
template <class F>
void give_source(GLenum kind, GLuint shader, GLsizei count, const GLchar *const *strings, const GLint *lengths,
                 F &&call) {
    const std::vector<std::string_view> given =
        active() ? views(count, strings, lengths) : std::vector<std::string_view>{};
    const std::optional<Strings> translated = given.empty() ? std::nullopt : translate(kind, shader, given);
    if (!translated)
        return call(count, strings, lengths);
    std::vector<const GLchar *> pointers;
    std::vector<GLint> sizes;
    for (const std::string &string : *translated) {
        pointers.push_back(string.c_str());
        sizes.push_back(static_cast<GLint>(string.size()));
    }
    note_translated();
    call(count, pointers.data(), sizes.data());
}

GLenum kind_of(GLuint shader) {
    GLint kind = 0;
    if (active()) {
        ErrorScope errors; // for the call itself to complain about
        REAL(glGetShaderiv)(shader, GL_SHADER_TYPE, &kind);
    }
    return static_cast<GLenum>(kind);
}

/// The shader's source as the program gave it; nothing when the driver has just that.
std::optional<std::string> own_source(GLuint shader) {
    if (!any_translated())
        return std::nullopt;
    ErrorScope errors;
    std::string text = source_of(shader);
    if (text.find(reserved_prefix) == text.npos)
        return std::nullopt;
    return untranslated(std::move(text));
}

template <class F> void get_source(GLuint shader, GLsizei size, GLsizei *length, GLchar *source, F &&real) {
    const std::optional<std::string> text = own_source(shader);
    if (!text || size < 0)
        return real();
    const std::size_t copied = std::min<std::size_t>(text->size(), size > 0 ? size - 1 : 0);
    if (size > 0) {
        std::memcpy(source, text->data(), copied);
        source[copied] = '\0';
    }
    if (length)
        *length = static_cast<GLsizei>(copied);
}

/// Only then does a program pipeline come to light when no program is current.
std::atomic<bool> pipelines_used{false};

template <class F> void use(GLuint program, F &&real) {
    Context *context = any_translated() ? current() : nullptr;
    if (!context)
        return real(program);
    perform(*context, [=](Context &c) {
        real(program);
        if (program != 0)
            place_program(c, program);
        else if (pipelines_used)
            place_programs(c);
    });
}

template <class F> void link(GLuint program, F &&real) {
    real();
    note_linked(program);
    Context *c = any_translated() ? current() : nullptr;
    if (c)
        linked(*c, program);
}

void pipeline_changed() {
    Context *c = any_translated() ? current() : nullptr;
    if (c)
        place_programs(*c);
}

void report_binary_shader(GLuint shader) {
    if (kind_of(shader) == GL_FRAGMENT_SHADER)
        report_once(Report::note,
                    "a SPIR-V fragment shader is used as it is: its gl_FragCoord counts from the tile's corner");
}

} // namespace

} // namespace mpiglut::gl

using namespace mpiglut;
using namespace mpiglut::gl;

MPIGLUT_EXPORT void glShaderSource(GLuint shader, GLsizei count, const GLchar *const *strings, const GLint *lengths) {
    give_source(kind_of(shader), shader, count, strings, lengths,
                [=](GLsizei n, const GLchar *const *s, const GLint *l) { REAL(glShaderSource)
                                                                         (shader, n, s, l); });
}

MPIGLUT_EXPORT void glShaderSourceARB(GLhandleARB shader, GLsizei count, const GLcharARB **strings,
                                      const GLint *lengths) {
    give_source(kind_of(shader), shader, count, strings, lengths,
                [=](GLsizei n, const GLchar *const *s, const GLint *l) {
                    REAL(glShaderSourceARB)(shader, n, const_cast<const GLcharARB **>(s), l);
                });
}

MPIGLUT_EXPORT GLuint glCreateShaderProgramv(GLenum kind, GLsizei count, const GLchar *const *strings) {
    GLuint program = 0;
    give_source(kind, 0, count, strings, nullptr, [&](GLsizei n, const GLchar *const *s, const GLint *) {
        program = REAL(glCreateShaderProgramv)(kind, n, s);
    });
    if (program)
        link(program, [] {});
    if (program && kind == GL_FRAGMENT_SHADER && active())
        note_made_of(program, side_effects(views(count, strings, nullptr)));
    return program;
}

MPIGLUT_EXPORT void glGetShaderSource(GLuint shader, GLsizei size, GLsizei *length, GLchar *source) {
    get_source(shader, size, length, source, [=] { REAL(glGetShaderSource)(shader, size, length, source); });
}

MPIGLUT_EXPORT void glGetShaderSourceARB(GLhandleARB shader, GLsizei size, GLsizei *length, GLcharARB *source) {
    get_source(shader, size, length, source, [=] { REAL(glGetShaderSourceARB)(shader, size, length, source); });
}

MPIGLUT_EXPORT void glGetShaderiv(GLuint shader, GLenum name, GLint *value) {
    REAL(glGetShaderiv)(shader, name, value);
    agree_on_completion(name, value);
    if (name == GL_SHADER_SOURCE_LENGTH && value)
        if (const auto text = own_source(shader))
            *value = static_cast<GLint>(text->size()) + 1;
}

MPIGLUT_EXPORT void glLinkProgram(GLuint program) {
    link(program, [=] { REAL(glLinkProgram)(program); });
}

MPIGLUT_EXPORT void glLinkProgramARB(GLhandleARB program) {
    link(program, [=] { REAL(glLinkProgramARB)(program); });
}

MPIGLUT_EXPORT void glUseProgram(GLuint program) {
    use(program, [](GLuint p) { REAL(glUseProgram)(p); });
}

MPIGLUT_EXPORT void glUseProgramObjectARB(GLhandleARB program) {
    use(program, [](GLuint p) { REAL(glUseProgramObjectARB)(p); });
}

MPIGLUT_EXPORT void glBindProgramPipeline(GLuint pipeline) {
    REAL(glBindProgramPipeline)(pipeline);
    pipelines_used = true;
    pipeline_changed();
}

MPIGLUT_EXPORT void glUseProgramStages(GLuint pipeline, GLbitfield stages, GLuint program) {
    REAL(glUseProgramStages)(pipeline, stages, program);
    pipeline_changed();
}

MPIGLUT_EXPORT void glSpecializeShader(GLuint shader, const GLchar *entry, GLuint count, const GLuint *indices,
                                       const GLuint *values) {
    report_binary_shader(shader);
    REAL(glSpecializeShader)(shader, entry, count, indices, values);
}

MPIGLUT_EXPORT void glSpecializeShaderARB(GLuint shader, const GLchar *entry, GLuint count, const GLuint *indices,
                                          const GLuint *values) {
    report_binary_shader(shader);
    REAL(glSpecializeShaderARB)(shader, entry, count, indices, values);
}

MPIGLUT_EXPORT void glProgramStringARB(GLenum target, GLenum format, GLsizei length, const void *text) {
    Context *c = current();
    const bool readable = c && target == GL_FRAGMENT_PROGRAM_ARB && text && length > 0;
    const auto translated =
        readable ? translate_assembly({static_cast<const char *>(text), static_cast<std::size_t>(length)},
                                      assembly_parameters() - 1)
                 : std::nullopt;
    if (!translated)
        return REAL(glProgramStringARB)(target, format, length, text);
    REAL(glProgramStringARB)(target, format, static_cast<GLsizei>(translated->size()), translated->data());
    note_assembly();
    place_assembly(*c);
}
