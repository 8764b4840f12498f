# What is installed, and how other projects find it: find_package(mpiglut) with the target mpiglut::mpiglut, and
# pkg-config mpiglut. Included last, when all targets are there.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mpiglut)
set(programs)
foreach(program mpiglutrun mpiglutrun-agent walltool wallbench wallbench_scene pixbench powerwall)
    if(TARGET ${program})
        list(APPEND programs ${program})
    endif()
endforeach()
file(RELATIVE_PATH lib_from_bin "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set_target_properties(${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
set_target_properties(mpiglut PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

# What people run, without the tests: what tools/demo builds.
add_custom_target(programs)
add_dependencies(programs ${programs} mpiglut source_route)

install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS mpiglut EXPORT mpiglut-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# GL/mpiglut.h, and the folder with a GL/glut.h in its place.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/mpiglut/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT mpiglut-targets NAMESPACE mpiglut:: DESTINATION ${package_dir})
configure_package_config_file(cmake/mpiglutConfig.cmake.in ${PROJECT_BINARY_DIR}/mpiglutConfig.cmake
    INSTALL_DESTINATION ${package_dir}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mpiglutConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mpiglutConfig.cmake ${PROJECT_BINARY_DIR}/mpiglutConfigVersion.cmake
    DESTINATION ${package_dir})

# The prefix is pkg-config's own guess from where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(file mpiglut mpiglut-dropin)
    configure_file(cmake/${file}.pc.in ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${file}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
