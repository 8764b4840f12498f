# Documentation that is made: HTML of the public headers by Doxygen (target `docs`, which fails on a warning), and man
# pages of all programs by help2man, from what they answer to --help and --version. Neither is needed to build.
if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()

find_program(DOXYGEN doxygen)
if(DOXYGEN)
    set(docs_folders)
    foreach(folder core/include core/icet/include glmpi/include glmpi/icet/include vkmpi/include cudampi/include mpiglut/include/GL)
        string(APPEND docs_folders " \"${PROJECT_SOURCE_DIR}/${folder}\"")
    endforeach()
    file(WRITE ${PROJECT_BINARY_DIR}/docs/Doxyfile "PROJECT_NAME = pixmpi
PROJECT_NUMBER = ${PROJECT_VERSION}
INPUT = ${docs_folders}
FILE_PATTERNS = *.h
RECURSIVE = YES
OUTPUT_DIRECTORY = \"${PROJECT_BINARY_DIR}/docs\"
STRIP_FROM_PATH = \"${PROJECT_SOURCE_DIR}\"
GENERATE_LATEX = NO
QUIET = YES
HAVE_DOT = NO
OPTIMIZE_OUTPUT_FOR_C = YES
JAVADOC_AUTOBRIEF = YES
EXTRACT_ALL = YES
AUTOLINK_SUPPORT = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = PIXMPI_API= PIXMPI_ENUM= ICET_EXPORT=
WARN_IF_INCOMPLETE_DOC = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
")
    add_custom_target(docs COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/docs/Doxyfile
        COMMENT "Functions: ${PROJECT_BINARY_DIR}/docs/html/index.html" VERBATIM)
endif()

# A sanitizer's runtime speaks where help is expected.
find_program(HELP2MAN help2man)
if(NOT HELP2MAN OR PIXMPI_SANITIZE)
    return()
endif()
set(man_mpiglutrun "runs a GLUT program on a wall of screens")
set(man_walltool "makes, checks, draws and tests wall files")
set(man_walld "serves a page where people operate a wall")
set(man_wallctl "operates a wall from a shell")
set(man_wallbench "measures a wall")
set(man_pixbench "measures messages of pixels")
set(man_pixmpi_info "shows GPUs, routes and options that messages of pixels find")
set(man_folder ${PROJECT_BINARY_DIR}/man)
set(man_pages)
foreach(program IN LISTS programs ITEMS wallctl)
    if(DEFINED man_${program} AND (TARGET ${program} OR TARGET mpiglut))
        set(page ${man_folder}/${program}.1)
        set(runs ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${program})
        # A program that cannot run here, such as one of MPI in a bare container, has no page.
        add_custom_command(OUTPUT ${page}.made
            COMMAND ${CMAKE_COMMAND} -E make_directory ${man_folder}
            COMMAND ${CMAKE_COMMAND} -E env HWLOC_COMPONENTS=-gl sh -c
                "timeout 60 '${HELP2MAN}' --no-info --name '${man_${program}}' -o '${page}' '${runs}' || rm -f '${page}'"
            COMMAND ${CMAKE_COMMAND} -E touch ${page}.made
            DEPENDS $<$<TARGET_EXISTS:${program}>:${program}> COMMENT "man page of ${program}" VERBATIM)
        list(APPEND man_pages ${page}.made)
        set(part tools)
        if(program IN_LIST programs_of_wall OR program STREQUAL wallctl)
            set(part wall)
        endif()
        install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${part} OPTIONAL)
    endif()
endforeach()
add_custom_target(man ALL DEPENDS ${man_pages})
add_dependencies(man programs)
