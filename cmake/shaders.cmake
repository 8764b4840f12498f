# add_shader_header(TARGET target SOURCE file.comp NAME symbol [DEFINES name=value...])
# Compiles GLSL for Vulkan 1.2, checks the SPIR-V, and gives the target a header NAME.spv.h with
# `static const uint32_t NAME[]`.
find_program(GLSLANG_VALIDATOR glslangValidator)
find_program(SPIRV_VAL spirv-val)

function(add_shader_header)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SOURCE;NAME" "DEFINES")
    get_filename_component(source ${arg_SOURCE} ABSOLUTE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/shaders)
    file(MAKE_DIRECTORY ${folder})
    list(TRANSFORM arg_DEFINES PREPEND "-D")
    set(binary ${folder}/${arg_NAME}.spv)
    set(header ${folder}/${arg_NAME}.spv.h)
    add_custom_command(OUTPUT ${binary} ${header}
        COMMAND ${GLSLANG_VALIDATOR} --quiet --target-env vulkan1.2 ${arg_DEFINES} -o ${binary} ${source}
        COMMAND ${SPIRV_VAL} --target-env vulkan1.2 ${binary}
        COMMAND ${GLSLANG_VALIDATOR} --quiet --target-env vulkan1.2 ${arg_DEFINES} --vn ${arg_NAME} -o ${header} ${source}
        DEPENDS ${source} COMMENT "Compiling shader ${arg_NAME}" VERBATIM)
    target_sources(${arg_TARGET} PRIVATE ${header})
    target_include_directories(${arg_TARGET} PRIVATE ${folder})
endfunction()
