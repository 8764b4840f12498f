# add_kernels(TARGET target SOURCE file.cpp NAME symbol INCLUDES folder...)
# Makes PTX of C++ by clang, for sm_70 and newer, without CUDA's toolkit, and gives the target a header NAME.ptx.h with
# `static const char NAME_ptx[]`, and the definition CUDAMPI_PTX. Where there is no clang that does it, the target has
# neither. Contraction would make another rounding than the host's.
find_program(PIXMPI_CLANG NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14
    DOC "clang with the NVPTX back end, which makes cudampi's kernels")

set(kernel_flags -x cuda -std=c++20 --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -O2
    -ffp-contract=off -fconstexpr-steps=100000000 -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX)

# Whether clang takes the source, with `includes`. Tried once for each clang: one that is not for NVIDIA's GPUs, or too
# old, is as good as none.
function(find_kernel_compiler source includes)
    if(DEFINED PIXMPI_MAKES_PTX AND PIXMPI_PTX_TRIED STREQUAL "${PIXMPI_CLANG}")
        return()
    endif()
    set(works OFF)
    if(PIXMPI_CLANG)
        execute_process(COMMAND ${PIXMPI_CLANG} ${kernel_flags} ${includes} -S -o ${PROJECT_BINARY_DIR}/trial.ptx
            ${source} RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
        if(result EQUAL 0)
            set(works ON)
        endif()
    endif()
    if(NOT works)
        message(STATUS "No clang that makes PTX: libcudampi has no kernels, and copies lists of rectangles piece by piece "
            "(install clang, or set PIXMPI_CLANG)")
    endif()
    set(PIXMPI_MAKES_PTX ${works} CACHE INTERNAL "clang makes PTX")
    set(PIXMPI_PTX_TRIED "${PIXMPI_CLANG}" CACHE INTERNAL "the clang that was tried")
endfunction()

function(add_kernels)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SOURCE;NAME" "INCLUDES")
    get_filename_component(source ${arg_SOURCE} ABSOLUTE)
    set(includes ${arg_INCLUDES} ${MPI_C_INCLUDE_DIRS})
    list(TRANSFORM includes PREPEND "-I")
    find_kernel_compiler(${source} "${includes}")
    if(NOT PIXMPI_MAKES_PTX)
        return()
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/kernels)
    file(MAKE_DIRECTORY ${folder})
    set(ptx ${folder}/${arg_NAME}.ptx)
    add_custom_command(OUTPUT ${ptx}
        COMMAND ${PIXMPI_CLANG} ${kernel_flags} ${includes} -MD -MF ${ptx}.d -MT ${ptx} -S -o ${ptx} ${source}
        DEPENDS ${source} DEPFILE ${ptx}.d COMMENT "Making PTX of ${arg_NAME}" VERBATIM)
    # As bytes: a string of that length is more than a C++ compiler has to take.
    add_custom_command(OUTPUT ${ptx}.h
        COMMAND ${CMAKE_COMMAND} -DFROM=${ptx} -DTO=${ptx}.h -DNAME=${arg_NAME}_ptx
            -P ${PROJECT_SOURCE_DIR}/cmake/bytes_of.cmake
        DEPENDS ${ptx} ${PROJECT_SOURCE_DIR}/cmake/bytes_of.cmake COMMENT "PTX of ${arg_NAME} as a header" VERBATIM)
    target_sources(${arg_TARGET} PRIVATE ${ptx}.h)
    target_include_directories(${arg_TARGET} PRIVATE ${folder})
    target_compile_definitions(${arg_TARGET} PRIVATE CUDAMPI_PTX)
endfunction()
