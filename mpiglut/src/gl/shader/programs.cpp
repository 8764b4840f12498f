#include "gl/shader/programs.h"

#include "base/real.h"
#include "gl/context/error.h"
#include "gl/pixel/pixel_store.h"
#include "gl/shader/glsl.h"

#include <GL/glext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

namespace mpiglut::gl {

namespace {

std::atomic<bool> translated_some{false};
std::atomic<std::uint64_t> all_links{0};

using Value = std::array<GLfloat, 4>;

/// What is added to a gl_FragCoord that counts from the lower left, and from the upper left.
Value fragment_value(const Context &c, bool upper) {
    const Origin origin = draw_origin(c);
    if (!upper || !c.surface || !draws_window(c))
        return {static_cast<GLfloat>(origin.x), static_cast<GLfloat>(origin.y), 0, 0};
    const Part &part = c.surface->part;
    return {static_cast<GLfloat>(origin.x), static_cast<GLfloat>(part.full_height - part.height - part.y), 0, 0};
}

Value crop_value() {
    if (!projection_fallback())
        return {};
    const Crop s = crop();
    return {static_cast<GLfloat>(s.scale_x - 1), static_cast<GLfloat>(s.scale_y - 1), static_cast<GLfloat>(s.offset_x),
            static_cast<GLfloat>(s.offset_y)};
}

/// Sets the values of a set of stages that draw together. `program[stage]` and `fragment` may all be the same one.
template <class F> void place_stages(Context &c, const std::array<GLuint, 3> &by_stage, GLuint fragment, F &&set) {
    // Only the last stage before the rasterizer moves positions.
    Value position = crop_value();
    for (const Stage stage : {Stage::geometry, Stage::evaluation, Stage::vertex}) {
        const GLuint program = by_stage[static_cast<int>(stage)];
        const GLint location = program ? program_of(c, program).crop[static_cast<int>(stage)] : -1;
        if (location < 0)
            continue;
        set(program, location, position);
        position = {};
    }
    if (!fragment)
        return;
    const Program &program = program_of(c, fragment);
    for (const bool upper : {false, true})
        if (const GLint location = upper ? program.upper : program.lower; location >= 0)
            set(fragment, location, fragment_value(c, upper));
}

GLuint bound_pipeline(const Context &c) {
    return c.limits.since(41, 31) ? static_cast<GLuint>(get(GL_PROGRAM_PIPELINE_BINDING)) : 0;
}

GLuint of_pipeline(GLuint pipeline, GLenum stage) {
    GLint program = 0;
    REAL(glGetProgramPipelineiv)(pipeline, stage, &program);
    return static_cast<GLuint>(program);
}

Program examine(GLuint id) {
    Program program;
    GLint is_linked = 0, count = 0;
    REAL(glGetProgramiv)(id, GL_LINK_STATUS, &is_linked);
    if (!is_linked)
        return program;
    const auto locate = [id](const char *name) { return REAL(glGetUniformLocation)(id, name); };
    program.lower = locate(lower_origin);
    program.upper = locate(upper_origin);
    for (const Stage stage : {Stage::vertex, Stage::evaluation, Stage::geometry})
        program.crop[static_cast<int>(stage)] = locate(crop_uniform(stage));
    const bool some = std::max({program.lower, program.upper, program.crop[0], program.crop[1], program.crop[2]}) >= 0;
    if (some)
        REAL(glGetProgramiv)(id, GL_ACTIVE_UNIFORMS, &count);
    for (GLint i = 0; i < count; ++i) {
        char name[64] = "";
        GLint size = 0;
        GLenum type = 0;
        REAL(glGetActiveUniform)(id, i, sizeof name, nullptr, &size, &type, name);
        if (std::string_view(name).starts_with(reserved_prefix))
            program.hidden.push_back(i);
    }
    return program;
}

} // namespace

bool any_translated() { return translated_some.load(std::memory_order_relaxed); }
void note_translated() { translated_some.store(true, std::memory_order_relaxed); }

const Program &program_of(Context &c, GLuint id) {
    if (!c.programs)
        c.programs = std::make_shared<Programs>();
    Programs &programs = *c.programs;
    if (const std::uint64_t links = all_links.load(std::memory_order_acquire); programs.links != links) {
        programs.known.clear();
        programs.links = links;
    }
    auto found = programs.known.find(id);
    if (found == programs.known.end()) {
        ErrorScope errors;
        found = programs.known.emplace(id, examine(id)).first;
    }
    return found->second;
}

void linked(Context &c, GLuint program) {
    all_links.fetch_add(1, std::memory_order_release);
    if (program_of(c, program).translated()) {
        note_translated();
        place_programs(c); // linking sets all uniforms to 0
    }
}

void place_program(Context &c, GLuint program) {
    if (!program_of(c, program).translated())
        return;
    const Unrecorded unrecorded(c);
    place_stages(c, {program, program, program}, program, [](GLuint, GLint location, const Value &value) {
        REAL(glUniform4fv)(location, 1, value.data());
    });
}

void place_programs(Context &c) {
    if (const auto current = static_cast<GLuint>(get(GL_CURRENT_PROGRAM)))
        return place_program(c, current);
    const GLuint pipeline = bound_pipeline(c);
    if (!pipeline)
        return;
    std::array<GLuint, 3> by_stage{};
    {
        const ErrorScope errors; // not all OpenGL ES 3.1 have all stages
        by_stage = {of_pipeline(pipeline, GL_VERTEX_SHADER), of_pipeline(pipeline, GL_TESS_EVALUATION_SHADER),
                    of_pipeline(pipeline, GL_GEOMETRY_SHADER)};
    }
    place_stages(c, by_stage, of_pipeline(pipeline, GL_FRAGMENT_SHADER),
                 [](GLuint program, GLint location, const Value &value) {
                     REAL(glProgramUniform4fv)(program, location, 1, value.data());
                 });
}

GLuint fragment_program(const Context &c) {
    if (const GLint program = get(GL_CURRENT_PROGRAM))
        return static_cast<GLuint>(program);
    const GLuint pipeline = bound_pipeline(c);
    return pipeline ? of_pipeline(pipeline, GL_FRAGMENT_SHADER) : 0;
}

std::string source_of(GLuint shader) {
    GLint length = 0;
    REAL(glGetShaderiv)(shader, GL_SHADER_SOURCE_LENGTH, &length);
    std::string text(static_cast<std::size_t>(std::max(length, 0)), '\0');
    if (length > 0)
        REAL(glGetShaderSource)(shader, length, &length, text.data());
    text.resize(static_cast<std::size_t>(std::max(length, 0)));
    return text;
}

// --- ARB_fragment_program -------------------------------------------------------------------------------------------

namespace {
std::atomic<bool> assembly_translated{false};
}

void note_assembly() { assembly_translated.store(true, std::memory_order_relaxed); }

int assembly_parameters() {
    GLint count = 0;
    REAL(glGetProgramivARB)(GL_FRAGMENT_PROGRAM_ARB, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, &count);
    return count;
}

void place_assembly(Context &c) {
    if (!assembly_translated.load(std::memory_order_relaxed) || !c.limits.fixed_function)
        return;
    const Unrecorded unrecorded(c);
    const int last = assembly_parameters() - 1;
    for (const bool upper : {false, true})
        REAL(glProgramEnvParameter4fvARB)
        (GL_FRAGMENT_PROGRAM_ARB, last - (upper ? 1 : 0), fragment_value(c, upper).data());
}

void shaders_moved(Context &c) {
    if (any_translated())
        place_programs(c);
    place_assembly(c);
}

} // namespace mpiglut::gl
