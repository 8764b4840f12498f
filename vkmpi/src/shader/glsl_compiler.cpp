#include "shader/glsl_compiler.h"

#ifdef VKMPI_GLSLANG

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include <memory>

namespace vkmpi {

bool has_glsl_compiler() {
    static const bool ready = glslang_initialize_process() != 0;
    return ready;
}

void compile_glsl(const std::string &source, std::vector<std::uint32_t> &words, std::string &complaint) {
    glslang_input_t input{};
    input.language = GLSLANG_SOURCE_GLSL;
    input.stage = GLSLANG_STAGE_COMPUTE;
    input.client = GLSLANG_CLIENT_VULKAN;
    input.client_version = GLSLANG_TARGET_VULKAN_1_2;
    input.target_language = GLSLANG_TARGET_SPV;
    input.target_language_version = GLSLANG_TARGET_SPV_1_5;
    input.code = source.c_str();
    input.default_version = 450;
    input.default_profile = GLSLANG_NO_PROFILE;
    input.messages = static_cast<glslang_messages_t>(GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT);
    input.resource = glslang_default_resource();
    const std::unique_ptr<glslang_shader_t, decltype(&glslang_shader_delete)> shader(glslang_shader_create(&input),
                                                                                     glslang_shader_delete);
    const std::unique_ptr<glslang_program_t, decltype(&glslang_program_delete)> program(glslang_program_create(),
                                                                                        glslang_program_delete);
    if (!shader || !program)
        throw std::bad_alloc();
    if (!glslang_shader_preprocess(shader.get(), &input) || !glslang_shader_parse(shader.get(), &input)) {
        complaint = glslang_shader_get_info_log(shader.get());
        return;
    }
    glslang_program_add_shader(program.get(), shader.get());
    if (!glslang_program_link(program.get(), input.messages)) {
        complaint = glslang_program_get_info_log(program.get());
        return;
    }
    glslang_program_SPIRV_generate(program.get(), input.stage);
    words.resize(glslang_program_SPIRV_get_size(program.get()));
    glslang_program_SPIRV_get(program.get(), words.data());
}

} // namespace vkmpi

#else

#include "api/core.h"

namespace vkmpi {

bool has_glsl_compiler() {
    static const bool none = [] {
        pixmpi::core().log(PIXMPI_LOG_INFO, "vkmpi: built without glslang: users' operations run on the CPU");
        return false;
    }();
    return none;
}

void compile_glsl(const std::string &, std::vector<std::uint32_t> &, std::string &) {}

} // namespace vkmpi

#endif
