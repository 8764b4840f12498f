# Windows and contexts of GLFW and FreeGLUT, on an X server of the test's own.
find_package(glfw3 3.3 QUIET)
if(glfw3_FOUND)
    add_executable(gl_windows gl/gl_windows.cpp)
    target_link_libraries(gl_windows PRIVATE glmpi demo_headless glfw PkgConfig::FREEGLUT OpenGL::GL pixmpi_options)
    foreach(kind glfw glfw_egl glut both)
        add_test(NAME api.gl_windows.${kind} COMMAND ${PROJECT_SOURCE_DIR}/tests/unit/with_display.sh
            ${MPIEXEC_EXECUTABLE} -n 2 $<TARGET_FILE:gl_windows> ${kind})
        set_tests_properties(api.gl_windows.${kind} PROPERTIES TIMEOUT 300 LABELS ranks
            ENVIRONMENT "${rank_test_environment}")
    endforeach()
endif()
