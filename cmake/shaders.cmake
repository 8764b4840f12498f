# add_shader_header(TARGET target SOURCE file.comp NAME symbol [DEFINES name=value...] [INCLUDES file...])
# Compiles GLSL for Vulkan 1.2, checks the SPIR-V, and gives the target a header NAME.spv.h with
# `static const uint32_t NAME[]`. INCLUDES: what the source includes, from its folder or from shaders/.
find_program(GLSLANG_VALIDATOR glslangValidator)
find_program(SPIRV_VAL spirv-val)
function(need_shader_tools)
    foreach(tool GLSLANG_VALIDATOR:glslangValidator:glslang-tools SPIRV_VAL:spirv-val:spirv-tools)
        string(REPLACE ":" ";" tool ${tool})
        list(GET tool 0 variable)
        list(GET tool 1 program)
        list(GET tool 2 package)
        if(NOT ${variable})
            message(FATAL_ERROR "${program} is missing, which libvkmpi's shaders need: install ${package} (its name in "
                "Debian), or set PIXMPI_VULKAN=OFF")
        endif()
    endforeach()
endfunction()

function(add_shader_header)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SOURCE;NAME" "DEFINES;INCLUDES")
    get_filename_component(source ${arg_SOURCE} ABSOLUTE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/shaders)
    file(MAKE_DIRECTORY ${folder})
    list(TRANSFORM arg_DEFINES PREPEND "-D")
    list(APPEND arg_DEFINES -I${PROJECT_SOURCE_DIR}/shaders)
    set(binary ${folder}/${arg_NAME}.spv)
    set(header ${folder}/${arg_NAME}.spv.h)
    add_custom_command(OUTPUT ${binary} ${header}
        COMMAND ${GLSLANG_VALIDATOR} --quiet --target-env vulkan1.2 ${arg_DEFINES} -o ${binary} ${source}
        COMMAND ${SPIRV_VAL} --target-env vulkan1.2 ${binary}
        COMMAND ${GLSLANG_VALIDATOR} --quiet --target-env vulkan1.2 ${arg_DEFINES} --vn ${arg_NAME} -o ${header} ${source}
        DEPENDS ${source} ${arg_INCLUDES} COMMENT "Compiling shader ${arg_NAME}" VERBATIM)
    target_sources(${arg_TARGET} PRIVATE ${header})
    target_include_directories(${arg_TARGET} PRIVATE ${folder})
endfunction()

# add_shader_text(TARGET target SOURCE file.comp NAME symbol)
# The same source for OpenGL: a header NAME.glsl.h with `static const char NAME[]`, without its #version line, which the
# program puts in front together with its defines and what the source includes.
function(add_shader_text)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SOURCE;NAME" "")
    get_filename_component(source ${arg_SOURCE} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(READ ${source} text)
    string(REGEX REPLACE "^#version [0-9]+\n" "" text "${text}")
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/shaders)
    file(CONFIGURE OUTPUT ${folder}/${arg_NAME}.glsl.h CONTENT "static const char ${arg_NAME}[] = R\"glsl(${text})glsl\";\n" @ONLY)
    target_include_directories(${arg_TARGET} PRIVATE ${folder})
endfunction()
