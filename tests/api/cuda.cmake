# The verbs between ends in CUDA and host memory, on a stand-in for its driver. Where there is a GPU, the same programs
# run without it. The ends last: they say what the program is about.
if(TARGET cudampi)
    add_library(cuda_rig OBJECT ${PROJECT_SOURCE_DIR}/tests/device/cuda_rig_memory.cpp)
    target_include_directories(cuda_rig PUBLIC ${PROJECT_SOURCE_DIR}/tests/device)
    target_link_libraries(cuda_rig PUBLIC ${CMAKE_DL_LIBS} PRIVATE pixmpi_options)
    add_executable(api_cuda copy/cuda_copies_test.cpp message/cuda_errors_test.cpp
        message/cuda_in_place_test.cpp rig/ends_cuda.cpp)
    target_link_libraries(api_cuda PRIVATE api_cases cudampi cuda_rig pixmpi_options)
    add_dependencies(api_cuda fake_cuda)
    use_precompiled(standard_tests api_cuda)
    set_target_properties(api_cuda PROPERTIES ENABLE_EXPORTS ON)

    set(stand_in LD_LIBRARY_PATH=$<TARGET_FILE_DIR:fake_cuda>:$ENV{LD_LIBRARY_PATH})
    # add_cuda_test(NAME RANKS... [PROGRAM target] [ARGS arg...] [ENVIRONMENT name=value...])
    function(add_cuda_test name)
        cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM" "ARGS;ENVIRONMENT")
        if(NOT arg_PROGRAM)
            set(arg_PROGRAM api_cuda)
        endif()
        add_rank_test(${name} ${arg_PROGRAM} ${arg_UNPARSED_ARGUMENTS} TIMEOUT 300 ARGS ${arg_ARGS}
            ENVIRONMENT PIXMPI_TEST_GPUS=2 ${stand_in} ${arg_ENVIRONMENT})
        foreach(ranks ${arg_UNPARSED_ARGUMENTS})
            set_tests_properties(${name}.${ranks} PROPERTIES SKIP_RETURN_CODE 77)
        endforeach()
    endfunction()

    set(verbs verbs. messages. partitioned. regions. sizes.pairs persistent.pairs refused.)
    # Where the way is what is tested, these shapes stand for all.
    set(brief verbs. messages. partitioned. regions.every_shape regions.transposed regions.tiles sizes.pairs
        persistent.pairs)
    add_cuda_test(api.cuda 1 2 3 ARGS ${verbs} cuda_errors. cuda_contexts. cuda_copies.)
    add_cuda_test(api.cuda.copies 2 ARGS ${verbs} cuda_copies. ENVIRONMENT PIXMPI_CUDA_PACK=copies)
    add_cuda_test(api.cuda.route_mpi 2 ARGS ${verbs} ENVIRONMENT PIXMPI_ROUTE=mpi API_ROUTE=mpi)
    add_cuda_test(api.cuda.codecs 2 ARGS codecs. verbs. ENVIRONMENT PIXMPI_CODEC=lz4)
    add_cuda_test(api.cuda.odd_band 2 ARGS ${brief} ENVIRONMENT PIXMPI_BAND=12345 PIXMPI_EAGER=1 PIXMPI_STAGE=1M)
    # Without CUDA in the background no memory is registered or shared: the CPU carries what is packed.
    add_cuda_test(api.cuda.not_in_background 2 ARGS ${brief} ENVIRONMENT PIXMPI_CUDA=0)
    # Packed, and not.
    set(packed PIXMPI_EAGER=1 PIXMPI_PEER=64M PIXMPI_CUDA_IN_PLACE=never)
    add_cuda_test(api.cuda.one_gpu 2 ARGS ${brief} ENVIRONMENT PIXMPI_TEST_CARD=0 PIXMPI_ROUTE=peer ${packed})
    add_cuda_test(api.cuda.two_gpus 2 ARGS ${brief} cuda_ways. ENVIRONMENT ${packed} PIXMPI_BAND=1M)
    add_cuda_test(api.cuda.in_place 2 ARGS ${brief} ENVIRONMENT PIXMPI_EAGER=1)
    add_cuda_test(api.cuda.in_place.own 2 ARGS cuda_in_place.)
    # These depend on the eager size.
    add_cuda_test(api.cuda.ways 2 ARGS cuda_ways. ENVIRONMENT PIXMPI_CUDA_IN_PLACE=never)

    # The sender of pixels that are read where it has them.
    add_executable(api_dying_cuda dying/dying.cpp dying/dying_cuda.cpp)
    target_link_libraries(api_dying_cuda PRIVATE pixmpi cudampi cuda_rig Threads::Threads pixmpi_options)
    target_include_directories(api_dying_cuda PRIVATE ${PROJECT_SOURCE_DIR}/tests/api)
    add_dependencies(api_dying_cuda fake_cuda)
    add_dying_test(cuda shown:exit api_dying_cuda ${alone} ENVIRONMENT PIXMPI_TEST_GPUS=2 ${stand_in})
    foreach(case receiver:kill sender:kill everywhere:kill)
        add_dying_test(cuda ${case} api_dying_cuda ENVIRONMENT PIXMPI_TEST_GPUS=2 ${stand_in})
    endforeach()

    # Collectives, compositors and files: the same cases as between other ends.
    add_executable(api_cuda_collectives rig/cases.cpp rig/ends.cpp rig/pixels.cpp rig/ends_cuda.cpp)
    take_objects(api_cuda_collectives api_collectives collective/collectives_test.cpp collective/neighbors_test.cpp
        collective/collective_operators_test.cpp collective/compositor_test.cpp collective/compositor_targets_test.cpp
        collective/compositor_scene.cpp collective/collective_ends.cpp collective/collective_model.cpp twice_less.cpp)
    target_link_libraries(api_cuda_collectives PRIVATE pixmpi_objects pixmpi_base cudampi_objects cuda_rig
        pixmpi_options)
    set_target_properties(api_cuda_collectives PROPERTIES ENABLE_EXPORTS ON)
    add_cuda_test(api.cuda.collectives 1 2 3 PROGRAM api_cuda_collectives ARGS collectives. neighbors.)
    add_cuda_test(api.cuda.operators 3 PROGRAM api_cuda_collectives ARGS operators.)
    add_cuda_test(api.cuda.compositor 3 PROGRAM api_cuda_collectives ARGS compositor.)
    add_executable(api_cuda_file rig/ends_cuda.cpp)
    take_objects(api_cuda_file api_file copy/file_test.cpp copy/file_interrupted_test.cpp copy/file_tiff_test.cpp)
    target_link_libraries(api_cuda_file PRIVATE api_cases cudampi cuda_rig pixmpi_options)
    set_target_properties(api_cuda_file PROPERTIES ENABLE_EXPORTS ON)
    add_cuda_test(api.cuda.file 2 PROGRAM api_cuda_file ARGS file.)

    # Between CUDA, OpenGL and Vulkan: messages and copies. Whose ends come last is what the program is about.
    if(TARGET vk_rig)
        add_executable(api_cuda_mixed copy/copy_test.cpp rig/ends_gl.cpp rig/ends_vk.cpp rig/ends_cuda.cpp)
        target_include_directories(api_cuda_mixed PRIVATE ${PROJECT_SOURCE_DIR}/tests/device)
        target_link_libraries(api_cuda_mixed PRIVATE api_cases cudampi vkmpi glmpi demo_headless vk_rig cuda_rig
            pixmpi_options)
        set_target_properties(api_cuda_mixed PROPERTIES ENABLE_EXPORTS ON)
        add_cuda_test(api.cuda.mixed 2 PROGRAM api_cuda_mixed ARGS --threads serialized verbs. regions. copy.between
            vk_last. ENVIRONMENT PIXMPI_TEST_VALIDATION=0)
    endif()
endif()
