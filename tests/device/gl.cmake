# The suite on OpenGL, by pointer and through pixel buffers, with all of a driver's features and with those of 3.3 alone; and
# what only OpenGL has. The suite's driver draws at once; in the other programs threads of its own do, so that there is
# something to wait for.
device_program(device_gl gl_rigs.cpp gl_rig_contexts.cpp gl_rig_buffers.cpp
    LIBRARIES device_suite glmpi_objects demo_headless
    GROUPS gl_direct gl_pbo gl33_direct gl33_pbo gl_shaders ENVIRONMENT LP_NUM_THREADS=0)
device_program(device_gl_surfaces gl_attachments_test.cpp gl_large_test.cpp gl_little_test.cpp gl_texture_state_test.cpp
    gl_surfaces_test.cpp gl_rig_contexts.cpp
    LIBRARIES glmpi_objects demo_headless)

# Somebody between glmpi's objects and OpenGL, for programs that link both.
add_library(gl_interpose OBJECT gl_interpose.cpp)
target_include_directories(gl_interpose PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} PRIVATE ${PROJECT_SOURCE_DIR}/glmpi/src)
target_link_libraries(gl_interpose PRIVATE pixmpi_options)
target_link_options(gl_interpose PUBLIC -Wl,--wrap=dlsym)
device_program(device_gl_failures gl_failures_test.cpp gl_rig_contexts.cpp
    LIBRARIES glmpi_objects gl_interpose demo_headless)
