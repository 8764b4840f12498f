# What makes the build quick: ccache where there is one, headers parsed once, no effort where it is not worth it.

# CMAKE_CXX_COMPILER_LAUNCHER overrides the choice. For precompiled headers ccache wants that sloppiness, and it should not
# read their 80 MB again for each file.
foreach(language C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
        find_program(PIXMPI_CCACHE ccache)
        if(PIXMPI_CCACHE)
            set(CMAKE_${language}_COMPILER_LAUNCHER ${PIXMPI_CCACHE})
        endif()
    endif()
    if(CMAKE_${language}_COMPILER_LAUNCHER MATCHES "ccache$")
        set(CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros
            CCACHE_INODECACHE=true ${CMAKE_${language}_COMPILER_LAUNCHER})
    endif()
endforeach()

set(standard_headers
    <algorithm> <array> <atomic> <chrono> <cstdint> <cstdio> <cstdlib> <cstring> <functional> <map> <memory> <mutex>
    <optional> <span> <string> <string_view> <unordered_map> <utility> <vector>)

# make_precompiled(NAME [HEADERS header...] [LIBRARIES target...]): parses the headers once for all targets that
# use_precompiled names. GCC refuses them where code is generated otherwise, hence one for libraries (-fPIC) and one for
# programs (-fPIE).
function(make_precompiled name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES")
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        return()
    endif()
    file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
    foreach(kind library program)
        add_library(${name}_of_${kind} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
        target_precompile_headers(${name}_of_${kind} PRIVATE ${arg_HEADERS})
        target_link_libraries(${name}_of_${kind} PRIVATE pixmpi_options ${arg_LIBRARIES})
    endforeach()
    target_compile_options(${name}_of_program PRIVATE -fPIE)
    set_target_properties(${name}_of_program PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

# The first is for ccache. The C++ library switches the warnings off where GCC 12 gives them wrongly, but by pragmas, which
# precompiled headers lose.
set(with_precompiled -fpch-preprocess -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)

# use_precompiled(NAME TARGET...): files include what they use all the same, and the presets whose warnings are errors,
# `dev` and `tsan`, do without.
function(use_precompiled name)
    foreach(target ${ARGN})
        get_target_property(kind ${target} TYPE)
        string(REGEX REPLACE "^EXECUTABLE$" program kind ${kind})
        string(REGEX REPLACE "^[A-Z_]+LIBRARY$" library kind ${kind})
        if(TARGET ${name}_of_${kind})
            target_precompile_headers(${target} REUSE_FROM ${name}_of_${kind})
            target_compile_options(${target} PRIVATE ${with_precompiled})
        endif()
    endforeach()
endfunction()

# take_objects(TARGET FROM FILE...): what FROM, another target, has compiled of these files of its folder.
function(take_objects target from)
    list(JOIN ARGN "|" files)
    string(REPLACE "." "[.]" files "${files}")
    target_sources(${target} PRIVATE
        "$<FILTER:$<TARGET_OBJECTS:${from}>,INCLUDE,/(${files})[.]o>")
endfunction()

# optimise_little(FILE...): of the current folder; they read command lines or JSON, once, by large templates.
function(optimise_little)
    set_property(SOURCE ${ARGN} APPEND PROPERTY
        COMPILE_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O1> $<$<CONFIG:RelWithDebInfo>:-g1>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        set_property(SOURCE ${ARGN} PROPERTY SKIP_PRECOMPILE_HEADERS ON) # GCC refuses those of -O2 here, with a warning
    endif()
endfunction()
