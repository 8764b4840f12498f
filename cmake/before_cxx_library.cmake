# before_cxx_library(TARGET): the target defines functions of the C++ library, to come before it. Where that is static,
# the linker finds them there again, and the first ones, the target's own, have to count.
include(CheckCXXSourceCompiles)

function(before_cxx_library target)
    get_target_property(CMAKE_REQUIRED_LINK_OPTIONS ${target} LINK_OPTIONS)
    list(FILTER CMAKE_REQUIRED_LINK_OPTIONS INCLUDE REGEX "^-static-lib")
    string(MAKE_C_IDENTIFIER "PIXMPI_CXX_LIBRARY_IS_SHARED_FOR_${target}" shared)
    check_cxx_source_compiles("
        #include <random>
        unsigned own(void *) asm(\"_ZNSt13random_device9_M_getvalEv\");
        unsigned own(void *) { return 4; }
        int main() { return static_cast<int>(std::random_device{}()); }" ${shared})
    if(NOT ${shared})
        target_link_options(${target} PRIVATE -Wl,-z,muldefs)
    endif()
endfunction()
