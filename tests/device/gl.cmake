# The suite on OpenGL, by pointer and through pixel buffers, with all of a driver's features and with those of 3.3 alone; and
# what only OpenGL has.
device_program(device_gl gl_rigs.cpp gl_rig_contexts.cpp gl_rig_buffers.cpp LIBRARIES device_suite glmpi_objects demo_headless)
device_program(device_gl_surfaces gl_surfaces_test.cpp gl_rig_contexts.cpp LIBRARIES glmpi_objects demo_headless)
