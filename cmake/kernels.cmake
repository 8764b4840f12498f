# add_kernels(TARGET target SOURCE file.cpp NAMES kernel... INCLUDES folder...)
# Makes PTX of C++ for each kernel, by clang, without CUDA's toolkit, or where there is no clang that does it by NVIDIA's
# compiler, nvcc. The source is compiled once for each NAME, with KERNEL_NAME in capitals defined. The target gets a
# header NAME.ptx.h with `static const char NAME_ptx[]` for each, and the definition CUDAMPI_PTX. Where neither compiler
# does it, the target has none of it. The PTX is for sm_70 and newer; nvcc from 13 on knows none older than sm_75.
# Contraction would make another rounding than the host's.
find_program(PIXMPI_CLANG NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14
    DOC "clang with the NVPTX back end, which makes cudampi's kernels")
find_program(PIXMPI_NVCC NAMES nvcc PATHS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin /opt/cuda/bin
    DOC "NVIDIA's compiler, which makes cudampi's kernels where no clang does")

set(kernel_flags -std=c++20 -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX)
set(clang_kernel_flags -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -O2 -S
    -ffp-contract=off -fconstexpr-steps=100000000 -Wno-unknown-cuda-version)
set(nvcc_kernel_flags -x cu -ptx -fmad=false --expt-relaxed-constexpr -allow-unsupported-compiler)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND nvcc_kernel_flags -ccbin ${CMAKE_CXX_COMPILER})
endif()

# PIXMPI_MAKES_PTX: the command that makes PTX of the source, with `arguments`; empty: none does. A compiler that is not
# for NVIDIA's GPUs, or too old, is as good as none. Tried once for each pair of compilers.
function(find_kernel_compiler source arguments)
    set(compilers "${PIXMPI_CLANG}, ${PIXMPI_NVCC}")
    if(DEFINED PIXMPI_MAKES_PTX AND PIXMPI_PTX_TRIED STREQUAL compilers)
        return()
    endif()
    set(works)
    foreach(how clang nvcc:compute_70 nvcc:compute_75)
        if(how STREQUAL clang)
            set(command ${PIXMPI_CLANG} ${clang_kernel_flags})
        else()
            string(REPLACE "nvcc:" "-arch=" arch ${how})
            set(command ${PIXMPI_NVCC} ${nvcc_kernel_flags} ${arch})
        endif()
        list(GET command 0 compiler)
        if(NOT works AND NOT compiler MATCHES "^-|NOTFOUND$")
            execute_process(COMMAND ${command} ${kernel_flags} ${arguments} -o ${PROJECT_BINARY_DIR}/trial.ptx ${source}
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
            if(result EQUAL 0)
                set(works ${command})
                message(STATUS "PTX is made by ${compiler}")
            endif()
        endif()
    endforeach()
    if(NOT works)
        message(STATUS "No compiler that makes PTX: libcudampi has no kernels, and copies lists of rectangles piece by "
            "piece (install clang, or set PIXMPI_CLANG or PIXMPI_NVCC)")
    endif()
    set(PIXMPI_MAKES_PTX ${works} CACHE INTERNAL "what makes PTX")
    set(PIXMPI_PTX_TRIED "${compilers}" CACHE INTERNAL "the compilers that were tried")
endfunction()

function(add_kernels)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SOURCE" "NAMES;INCLUDES")
    get_filename_component(source ${arg_SOURCE} ABSOLUTE)
    set(includes ${arg_INCLUDES} ${MPI_C_INCLUDE_DIRS})
    list(TRANSFORM includes PREPEND "-I")
    list(GET arg_NAMES 0 first)
    string(TOUPPER KERNEL_${first} first)
    find_kernel_compiler(${source} "-D${first};${includes}")
    if(NOT PIXMPI_MAKES_PTX)
        return()
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/kernels)
    file(MAKE_DIRECTORY ${folder})
    foreach(name ${arg_NAMES})
        string(TOUPPER KERNEL_${name} kernel)
        set(ptx ${folder}/${name}.ptx)
        add_custom_command(OUTPUT ${ptx}
            COMMAND ${PIXMPI_MAKES_PTX} ${kernel_flags} -D${kernel} ${includes} -MD -MF ${ptx}.d -MT ${ptx} -o ${ptx}
                ${source}
            DEPENDS ${source} DEPFILE ${ptx}.d COMMENT "Making PTX of ${name}" VERBATIM)
        # As bytes: a string of that length is more than a C++ compiler has to take.
        add_custom_command(OUTPUT ${ptx}.h
            COMMAND ${CMAKE_COMMAND} -DFROM=${ptx} -DTO=${ptx}.h -DNAME=${name}_ptx
                -P ${PROJECT_SOURCE_DIR}/cmake/bytes_of.cmake
            DEPENDS ${ptx} ${PROJECT_SOURCE_DIR}/cmake/bytes_of.cmake COMMENT "PTX of ${name} as a header" VERBATIM)
        target_sources(${arg_TARGET} PRIVATE ${ptx}.h)
    endforeach()
    target_include_directories(${arg_TARGET} PRIVATE ${folder})
    target_compile_definitions(${arg_TARGET} PRIVATE CUDAMPI_PTX)
endfunction()
