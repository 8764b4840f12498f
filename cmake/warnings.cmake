# An interface target for all of our own code: warnings always, errors in the `dev` preset.
option(PIXMPI_WERROR "Treat warnings as errors" OFF)
set(PIXMPI_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")

add_library(pixmpi_options INTERFACE)
target_compile_options(pixmpi_options INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers)
if(PIXMPI_WERROR)
    target_compile_options(pixmpi_options INTERFACE -Werror)
endif()
if(PIXMPI_SANITIZE)
    target_compile_options(pixmpi_options INTERFACE -fsanitize=${PIXMPI_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(pixmpi_options INTERFACE -fsanitize=${PIXMPI_SANITIZE})
    if(PIXMPI_SANITIZE MATCHES undefined) # which would print what it finds and go on
        target_compile_options(pixmpi_options INTERFACE -fno-sanitize-recover=all)
    endif()
endif()
