# The suite on CUDA: a stand-in for its driver runs the kernels. Where there is a GPU, the same program runs without it.
if(TARGET cudampi_objects)
    device_program(device_cuda cuda_rigs.cpp cuda_rig_memory.cpp cuda_failures_test.cpp cuda_pieces_test.cpp
        LIBRARIES device_suite cudampi_objects
        GROUPS cuda_kernels cuda_managed cuda_pinned cuda_copies cuda_array cuda_mipmapped
        ENVIRONMENT PIXMPI_TEST_GPUS=2 LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/tests/cuda/lib:$ENV{LD_LIBRARY_PATH})
    if(PIXMPI_MAKES_PTX)
        target_compile_definitions(device_cuda PRIVATE WITH_KERNELS)
    endif()
    add_dependencies(device_cuda fake_cuda)
endif()
