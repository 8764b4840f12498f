# What is installed, and how other projects find it: find_package(mpiglut) with the target mpiglut::mpiglut,
# find_package(pixmpi) with pixmpi::pixmpi, pixmpi::glmpi, pixmpi::vkmpi, pixmpi::cudampi, pixmpi::icet_pixmpi and
# pixmpi::icet_pixmpi_gl, and pkg-config with the same names. Included last, when all targets are there.
include(CMakePackageConfigHelpers)

# Each file belongs to one part (component), of which cmake/debian.cmake makes packages: libraries, dev, wall, tools.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mpiglut)
set(programs_of_wall mpiglutrun mpiglutrun-agent walld walltool)
set(programs_of_tools wallbench wallbench_scene pixbench pixmpi_info powerwall)
set(programs)
foreach(part wall tools)
    foreach(program IN LISTS programs_of_${part})
        if(TARGET ${program})
            list(APPEND programs ${program})
            install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${part})
        endif()
    endforeach()
endforeach()
file(RELATIVE_PATH lib_from_bin "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
if(programs)
    set_target_properties(${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
endif()
# What people run, without the tests: what tools/demo builds, the first picture's part of it first.
add_custom_target(programs)
foreach(target IN LISTS programs ITEMS all_demos)
    if(TARGET ${target})
        add_dependencies(programs ${target})
    endif()
endforeach()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev) # of what follows, but for what names its own
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/demos/first DESTINATION ${CMAKE_INSTALL_DOCDIR}/demos
    FILES_MATCHING PATTERN "*.c")
install(FILES ${PROJECT_SOURCE_DIR}/demos/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/demos)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
    ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET mpiglut)
    set_target_properties(mpiglut PROPERTIES VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    add_dependencies(programs mpiglut)
    add_library(mpiglut::mpiglut ALIAS mpiglut)
    install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/wallctl TYPE BIN COMPONENT wall)
    install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/wallrun TYPE BIN COMPONENT wall)
    # Without a name link in another part: the launcher preloads libmpiglut.so.
    install(TARGETS mpiglut EXPORT mpiglut-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT wall
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    # GL/mpiglut.h, and the folder with a GL/glut.h in its place.
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/mpiglut/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT mpiglut-targets NAMESPACE mpiglut:: DESTINATION ${package_dir})
    configure_package_config_file(cmake/mpiglutConfig.cmake.in ${PROJECT_BINARY_DIR}/mpiglutConfig.cmake
        INSTALL_DESTINATION ${package_dir}
        PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/mpiglutConfigVersion.cmake COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/mpiglutConfig.cmake ${PROJECT_BINARY_DIR}/mpiglutConfigVersion.cmake
        DESTINATION ${package_dir})
endif()

# The libraries of messages. glmpi looks for pixmpi beside itself; an MPI outside the system's folders is found again.
include(mpi_kind)
mpi_kind(pixmpi_mpi)
set(message_libraries)
foreach(library pixmpi glmpi vkmpi cudampi icet_pixmpi icet_pixmpi_gl)
    if(TARGET ${library})
        list(APPEND message_libraries ${library})
        add_library(pixmpi::${library} ALIAS ${library}) # as in the package, for who builds this project as a part
        get_target_property(library_source ${library} SOURCE_DIR)
        install(DIRECTORY ${library_source}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            PATTERN "*_device.h" EXCLUDE)
        if(PIXMPI_DEVICE AND EXISTS ${library_source}/include/${library}_device.h)
            install(FILES ${library_source}/include/${library}_device.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
        endif()
    endif()
endforeach()
if(PIXMPI_DEVICE) # what shaders include, beside the headers
    install(FILES shaders/pixmpi_device.glsl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
set_target_properties(${message_libraries} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
# The headers include mpi.h: C++ programs should not get MPI's C++ bindings from it, which want a library of their own.
target_compile_definitions(pixmpi INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)

set(pixmpi_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pixmpi)
install(TARGETS ${message_libraries} EXPORT pixmpi-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries NAMELINK_COMPONENT dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT pixmpi-targets NAMESPACE pixmpi:: DESTINATION ${pixmpi_package_dir})
configure_package_config_file(cmake/pixmpiConfig.cmake.in ${PROJECT_BINARY_DIR}/pixmpiConfig.cmake
    INSTALL_DESTINATION ${pixmpi_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pixmpiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pixmpiConfig.cmake ${PROJECT_BINARY_DIR}/pixmpiConfigVersion.cmake
    cmake/mpi_kind.cmake DESTINATION ${pixmpi_package_dir})

# IceT's own names, in a folder that no linker and no find_package looks into unless it is told to: links to the
# libraries, and find_package(IceT). pvpixmpi preloads the libraries.
set(icet_dir ${CMAKE_INSTALL_LIBDIR}/icet_pixmpi)
set(icet_libraries IceTCore=icet_pixmpi IceTMPI=icet_pixmpi)
if(TARGET icet_pixmpi_gl)
    list(APPEND icet_libraries IceTGL=icet_pixmpi_gl IceTGL3=icet_pixmpi_gl)
    install(TARGETS pvpixmpi LIBRARY DESTINATION ${icet_dir} COMPONENT libraries)
    install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/pvpixmpi TYPE BIN COMPONENT libraries)
endif()
file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/icet_pixmpi)
foreach(pair IN LISTS icet_libraries)
    string(REGEX REPLACE "(.*)=(.*)" "lib\\1.so;lib\\2.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}" pair ${pair})
    list(GET pair 0 icet_link)
    list(GET pair 1 icet_target)
    file(CREATE_LINK ../${icet_target} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/icet_pixmpi/${icet_link} SYMBOLIC)
    install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/icet_pixmpi/${icet_link} DESTINATION ${icet_dir}
        COMPONENT libraries)
endforeach()
configure_package_config_file(cmake/IceTConfig.cmake.in ${PROJECT_BINARY_DIR}/IceTConfig.cmake
    INSTALL_DESTINATION ${icet_dir}/cmake/IceT PATH_VARS pixmpi_package_dir CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/IceTConfigVersion.cmake VERSION 2.2.0
    COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/IceTConfig.cmake ${PROJECT_BINARY_DIR}/IceTConfigVersion.cmake
    DESTINATION ${icet_dir}/cmake/IceT)

# pkg-config: MPI as we found it, by its files.
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE pixmpi_pc_cflags)
list(JOIN pixmpi_pc_cflags " " pixmpi_pc_cflags)
list(JOIN MPI_C_LIBRARIES " " pixmpi_pc_libs)

# The prefix is pkg-config's own guess from where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(pc_files ${message_libraries})
if(TARGET mpiglut)
    list(APPEND pc_files mpiglut mpiglut-dropin)
endif()
foreach(file IN LISTS pc_files)
    configure_file(cmake/${file}.pc.in ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${file}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

include(documents)
include(debian)
