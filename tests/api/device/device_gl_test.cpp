// What only endpoints of OpenGL have: bindings, contexts, and a state that stays as it was.
#include "device/device_rig.h"
#include "rig/ends_gl.h"

#include <glmpi_device.h>

#include <cstring>
#include <string>

using namespace api;

namespace {

/// A program that calls a barrier and nothing else, with the endpoint's buffers from `binding` on and its own behind
/// them.
GLuint make_program(int binding) {
    const std::string head =
        "#version 440\nlayout(local_size_x = 4) in;\n#define PM_BINDING " + std::to_string(binding) + "\n";
    const char *const texts[] = {head.c_str(), glMPI_Device_glsl(), R"glsl(
PM_BUFFER(0) coherent volatile buffer Window { uint window[]; };
void main() {
    PM_BEGIN(pm_workgroup())
    PM_STEP(1) PM_AWAIT(pm_barrier())
    if (PM_LANE == 0u) atomicAdd(window[0], 1u + uint(pm_rank()));
    PM_END
})glsl"};
    const GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    glShaderSource(shader, 3, texts, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glDeleteShader(shader);
    return program;
}

struct State {
    GLint program = 0, generic = 0, names[16] = {};
    GLint64 starts[16] = {}, sizes[16] = {};
    bool operator==(const State &) const = default;
};
State state_now() {
    State now;
    glGetIntegerv(GL_CURRENT_PROGRAM, &now.program);
    glGetIntegerv(GL_SHADER_STORAGE_BUFFER_BINDING, &now.generic);
    for (GLuint i = 0; i < 16; ++i) {
        glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, i, &now.names[i]);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, i, &now.starts[i]);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_SIZE, i, &now.sizes[i]);
    }
    return now;
}

} // namespace

RANK_CASE(device_gl, bindings_and_state, 1) {
    need_context();
    pixMPI_Surface window{};
    void *memory = nullptr;
    NEED_OK(glMPI_Window_create(7, &window, &memory)); // shaders use whole words
    pixMPI_Endpoint endpoint = PIXMPI_ENDPOINT_NULL;
    pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
    info.slots = 2;
    NEED_OK(glMPI_Endpoint_create(world(), &info, 1, &window, &endpoint));
    GLuint own = 0;
    glGenBuffers(1, &own);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, own);
    glBufferData(GL_SHADER_STORAGE_BUFFER, 4096, nullptr, GL_STATIC_DRAW);
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 1, own, 256, 512);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 9, own);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    std::uint32_t expected = 0;
    for (const int binding : {0, 5, 12}) {
        const GLuint program = make_program(binding);
        const State before = state_now();
        const glMPI_Kernel kernel{sizeof(glMPI_Kernel), program, binding, 1, &window.name, 2};
        CHECK_OK(glMPI_Endpoint_run(endpoint, &kernel));
        CHECK(state_now() == before);
        expected += 2 * (1 + 2 * static_cast<std::uint32_t>(rank)) + 1;
        CHECK_EQ(*static_cast<std::uint32_t *>(memory), expected);
        glDeleteProgram(program);
    }
    pixMPI_Device_mode mode = PIXMPI_MODE_AUTOMATIC;
    CHECK_OK(pixMPI_Endpoint_mode(endpoint, &mode));
    const auto *const renderer = reinterpret_cast<const char *>(glGetString(GL_RENDERER));
    if (std::strstr(renderer, "llvmpipe"))
        CHECK_EQ(mode, PIXMPI_MODE_SUSPENDING);
    CHECK_FAILS(glMPI_Window_free(&window), PIXMPI_ERR_REQUEST, "an endpoint has it");
    CHECK_FAILS(glMPI_Context_release(), PIXMPI_ERR_REQUEST, "1 endpoints");
    CHECK_OK(pixMPI_Endpoint_free(&endpoint));
    CHECK_OK(glMPI_Window_free(&window));
    glDeleteBuffers(1, &own);
    CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

RANK_CASE(device_gl, wrong_kernels, 1) {
    need_context();
    pixMPI_Endpoint endpoint = PIXMPI_ENDPOINT_NULL;
    NEED_OK(glMPI_Endpoint_create(world(), nullptr, 0, nullptr, &endpoint));
    const GLuint program = make_program(0), nothing = glCreateProgram(), none = 4711;
    const auto fails = [&](glMPI_Kernel kernel, const char *words) {
        CHECK_FAILS(glMPI_Endpoint_run(endpoint, &kernel), PIXMPI_ERR_ARGUMENT, words);
    };
    fails({0, program, 0, 0, nullptr, 1}, "kernel.struct_size: 0");
    fails({sizeof(glMPI_Kernel), none, 0, 0, nullptr, 1}, "kernel.program: 4711 compute");
    fails({sizeof(glMPI_Kernel), nothing, 0, 0, nullptr, 1}, "kernel.program: compute");
    fails({sizeof(glMPI_Kernel), program, 0, 14, &none, 1}, "kernel.buffer_count: 14 13");
    fails({sizeof(glMPI_Kernel), program, 0, 1, nullptr, 1}, "kernel.buffers: null");
    fails({sizeof(glMPI_Kernel), program, 0, 1, &none, 1}, "kernel.buffers[0]: 4711");
    fails({sizeof(glMPI_Kernel), program, -1, 0, nullptr, 1}, "kernel.binding: -1");
    fails({sizeof(glMPI_Kernel), program, 1000, 0, nullptr, 1}, "kernel.binding: 1000");
    fails({sizeof(glMPI_Kernel), program, 0, 0, nullptr, 0}, "groups: 0");
    const glMPI_Kernel kernel{sizeof(glMPI_Kernel), program, 0, 0, nullptr, 1};
    need_context().release_current();
    CHECK_FAILS(glMPI_Endpoint_run(endpoint, &kernel), PIXMPI_ERR_CONTEXT, "not current");
    CHECK(need_context().make_current());
    pixMPI_Request run = PIXMPI_REQUEST_NULL;
    CHECK_OK(glMPI_Endpoint_run_init(endpoint, &kernel, &run));
    need_context().release_current();
    CHECK_FAILS(pixMPI_Start(&run), PIXMPI_ERR_CONTEXT, "");
    CHECK(need_context().make_current());
    CHECK_OK(pixMPI_Request_free(&run));
    GLuint query = 0; // dispatches do nothing then
    glGenQueries(1, &query);
    glBeginQuery(GL_SAMPLES_PASSED, query);
    glEndQuery(GL_SAMPLES_PASSED);
    glBeginConditionalRender(query, GL_QUERY_WAIT);
    CHECK_FAILS(glMPI_Endpoint_run(endpoint, &kernel), PIXMPI_ERR_CONTEXT, "conditional rendering");
    glEndConditionalRender();
    glDeleteQueries(1, &query);
    CHECK_OK(pixMPI_Endpoint_free(&endpoint));
    glDeleteProgram(program);
    glDeleteProgram(nothing);
    CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

/// With contexts that lack something: says what.
RANK_CASE(device_gl_lacks, something, 1) {
    need_context();
    pixMPI_Endpoint endpoint = PIXMPI_ENDPOINT_NULL;
    pixMPI_Surface window{};
    CHECK_FAILS(glMPI_Endpoint_create(world(), nullptr, 0, nullptr, &endpoint), PIXMPI_ERR_CONTEXT,
                "context: OpenGL 4. expected 4.");
    CHECK_FAILS(glMPI_Window_create(64, &window, nullptr), PIXMPI_ERR_CONTEXT, "GL_ARB_buffer_storage");
    CHECK(window.name == 0);
}
