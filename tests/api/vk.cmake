# The verbs between ends in Vulkan, OpenGL and host memory, and what only Vulkan has. The validation layers watch all of it.
if(TARGET vk_rig)
    # The ends last: their last case lets the device go.
    add_executable(api_vk rig/ends_gl.cpp vk/vk_peer.cpp vk/vk_peer_sockets.cpp vk/vk_peer_test.cpp
        vk/vk_peer_faults_test.cpp vk/vk_sync_test.cpp vk/vk_layouts_test.cpp vk/vk_images_test.cpp
        vk/vk_errors_test.cpp vk/vk_failures_test.cpp vk/vk_owners_test.cpp vk/vk_threads_test.cpp
        vk/vk_headless_test.cpp vk/vk_queues_test.cpp vk/vk_queue_lock_test.cpp vk/vk_collectives_test.cpp
        vk/vk_submissions_test.cpp vk/vk_planes_test.cpp
        rig/ends_vk.cpp)
    target_link_libraries(api_vk PRIVATE api_cases vkmpi glmpi demo_headless vk_rig pixmpi_options)
    target_include_directories(api_vk PRIVATE ${PROJECT_SOURCE_DIR}/tests/cuda)
    add_dependencies(api_vk fake_cuda)
    use_precompiled(standard_tests api_vk)
    set_target_properties(api_vk PROPERTIES ENABLE_EXPORTS ON)

    math(EXPR case_seconds "${patience} * 150")
    # add_vk_test(NAME RANKS... [PROGRAM target] [ARGS arg...] [ENVIRONMENT name=value...]): reports that it is skipped where
    # there is no Vulkan.
    function(add_vk_test name)
        cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM" "ARGS;ENVIRONMENT")
        if(NOT arg_PROGRAM)
            set(arg_PROGRAM api_vk)
        endif()
        add_rank_test(${name} ${arg_PROGRAM} ${arg_UNPARSED_ARGUMENTS} TIMEOUT 600 ARGS ${arg_ARGS} vk_last.
            ENVIRONMENT API_CASE_SECONDS=${case_seconds} ${arg_ENVIRONMENT})
        foreach(ranks ${arg_UNPARSED_ARGUMENTS})
            set_tests_properties(${name}.${ranks} PROPERTIES SKIP_RETURN_CODE 77)
        endforeach()
    endfunction()

    set(verbs verbs. messages. partitioned. sizes.pairs persistent.pairs load.pairs refused.)
    set(own vk_sync. vk_layouts. vk_images. vk_planes. vk_owners. vk_queues. vk_errors. vk_copies. vk_collectives.)
    set(by_route vk_sync. vk_layouts. vk_planes. vk_errors. vk_collectives.) # the others are about contexts and images
    add_vk_test(api.vk.pairs 1 2 ARGS ${verbs})
    add_vk_test(api.vk.own 1 2 3 ARGS ${own})
    add_vk_test(api.vk.codecs 2 ARGS codecs. verbs. ENVIRONMENT PIXMPI_CODEC=lz4)
    add_vk_test(api.vk.codecs.device 2 ARGS codecs. ENVIRONMENT PIXMPI_JPEG=device)
    add_vk_test(api.vk.failures 1 2 ARGS vk_failures.)
    add_vk_test(api.vk.copied.pairs 2 ARGS ${verbs} ENVIRONMENT PIXMPI_VK_PATH=copy)
    add_vk_test(api.vk.copied.own 2 ARGS ${own} vk_failures. ENVIRONMENT PIXMPI_VK_PATH=copy)
    add_vk_test(api.vk.copied.route_mpi 2 ARGS vk_errors. vk_owners. ENVIRONMENT PIXMPI_VK_PATH=copy PIXMPI_ROUTE=mpi
        API_ROUTE=mpi)
    # In the other verbs the layers compare thousands of pieces of buffers, a minute of it; those run unwatched below.
    add_vk_test(api.vk.shaders 2 ARGS ${own} verbs.send_recv verbs.isend_before_recv verbs.sendrecv_replace
        ENVIRONMENT PIXMPI_VK_PACK=shader PIXMPI_VK_AHEAD=always)
    set(unwatched PIXMPI_TEST_VALIDATION=0)
    add_vk_test(api.vk.route_mpi 2 ARGS ${verbs} ${by_route} vk_failures. ENVIRONMENT PIXMPI_ROUTE=mpi API_ROUTE=mpi)
    add_vk_test(api.vk.replaced 2 ARGS vk_layouts.replaced_in_bands
        ENVIRONMENT PIXMPI_VK_PACK=shader PIXMPI_EAGER=1 PIXMPI_BAND=64K)
    add_vk_test(api.vk.replaced.peer 2 ARGS vk_layouts.replaced_in_bands
        ENVIRONMENT PIXMPI_ROUTE=peer PIXMPI_EAGER=1 PIXMPI_BAND=64K)
    add_vk_test(api.vk.odd_band 2 ARGS ${verbs} ${own} ENVIRONMENT PIXMPI_BAND=12345 PIXMPI_EAGER=1)
    add_vk_test(api.vk.small_stage 2 ARGS ${verbs} ${by_route} ENVIRONMENT PIXMPI_EAGER=1 PIXMPI_STAGE=1M PIXMPI_BAND=12345)
    # The layers compare every piece of a copy with every other: thousands of pieces go unwatched, hundreds do not.
    add_vk_test(api.vk.regions.watched 2 ARGS regions.)
    add_vk_test(api.vk.regions.commands 3 ARGS regions. ${verbs} ENVIRONMENT ${unwatched} PIXMPI_VK_PACK=commands)
    add_vk_test(api.vk.regions.shader 2 ARGS regions. ${verbs} ENVIRONMENT ${unwatched} PIXMPI_VK_PACK=shader)
    add_vk_test(api.vk.threads_serialized 1 2 ARGS --threads serialized vk_threads. vk_errors.another)
    add_vk_test(api.vk.threads_multiple 2 ARGS --threads multiple vk_threads. vk_errors.another)

    # Through the memory of GPUs. On lavapipe that is taken where it is the only route, and the layers watch one run of it.
    set(large PIXMPI_EAGER=1) # all messages count as large
    set(shapes regions.every_shape regions.transposed regions.tiles)
    set(told vk_failures.peers_are_told vk_failures.device_lost vk_failures.lost_on_one_side)
    set(brief verbs. refused. ${shapes} vk_peer. vk_planes.)
    add_vk_test(api.vk.peer.watched 2 ARGS vk_peer. vk_peer_faults. ENVIRONMENT PIXMPI_ROUTE=peer)
    add_vk_test(api.vk.peer 3 ARGS ${brief} persistent.pairs vk_sync. ENVIRONMENT PIXMPI_ROUTE=peer ${unwatched} ${large})
    add_vk_test(api.vk.peer.odd_band 2 ARGS ${brief}
        ENVIRONMENT PIXMPI_ROUTE=peer ${unwatched} ${large} PIXMPI_BAND=12345 PIXMPI_PEER=4M)

    # Ranks that say they have discrete GPUs, with and without CUDA, which brings memory from one to another.
    set(two_gpus PIXMPI_TEST_GPUS=2 ${unwatched} ${large} PIXMPI_VK_PACK=commands)
    set(with_cuda LD_LIBRARY_PATH=$<TARGET_FILE_DIR:fake_cuda>:$ENV{LD_LIBRARY_PATH})
    add_vk_test(api.vk.two_gpus.collectives 2 3 ARGS vk_collectives. vk_submissions.
        ENVIRONMENT PIXMPI_TEST_GPUS=2 ${unwatched} ${large} ${with_cuda} PIXMPI_VK_PACK=shader)
    add_vk_test(api.vk.two_gpus.few_pixels 2 ARGS vk_collectives.images # which go by host memory otherwise
        ENVIRONMENT PIXMPI_TEST_GPUS=2 ${unwatched} ${with_cuda} PIXMPI_VK_PACK=shader)
    set(on_two ENVIRONMENT ${two_gpus} ${with_cuda} PIXMPI_PEER=64M PIXMPI_BAND=1M)
    add_vk_test(api.vk.two_gpus 2 ARGS ${brief} sizes.pairs persistent.pairs load.pairs ${told} vk_sync. vk_peer_faults.
        ${on_two})
    add_vk_test(api.vk.two_gpus 3 ARGS verbs. vk_peer. load.pairs ${told} vk_sync. vk_peer_faults. ${on_two})
    add_vk_test(api.vk.two_gpus.odd_band 2 ARGS ${brief} vk_peer_faults.failing_among_others
        ENVIRONMENT ${two_gpus} ${with_cuda} PIXMPI_BAND=12345 PIXMPI_PEER=4M)
    add_vk_test(api.vk.two_gpus.landing_place 3 ARGS vk_peer_faults.landing_place_is_kept
        ENVIRONMENT ${two_gpus} ${with_cuda} PIXMPI_BAND=256K PIXMPI_PEER=4M)
    add_vk_test(api.vk.two_gpus.large 2 ARGS vk_large. ENVIRONMENT ${two_gpus} ${with_cuda} PIXMPI_PEER=512M)
    add_vk_test(api.vk.two_gpus.less_memory 2 ARGS vk_peer_faults.one_has_less
        ENVIRONMENT ${two_gpus} ${with_cuda} PIXMPI_BAND=35M PIXMPI_PEER=256M)
    add_vk_test(api.vk.two_gpus.less_memory.shm 2 ARGS vk_peer_faults.one_has_less
        ENVIRONMENT ${two_gpus} ${with_cuda} PIXMPI_ROUTE=shm PIXMPI_BAND=12M PIXMPI_PEER=256M PIXMPI_STAGE=256M)
    add_vk_test(api.vk.two_gpus.no_cuda 3 ARGS verbs.isend vk_peer. vk_peer_faults. ENVIRONMENT ${two_gpus})

    # Messages on the mpi route by way of GPUs, on an MPI that takes their memory, or does not.
    add_executable(api_gpu_aware vk/gpu_aware_test.cpp vk/gpu_aware_faults_test.cpp vk/gpu_mpi.cpp vk/vk_peer.cpp
        vk/vk_sync_test.cpp vk/vk_failures_test.cpp rig/ends_vk.cpp)
    target_link_libraries(api_gpu_aware PRIVATE api_cases vkmpi vk_rig pixmpi_options)
    target_include_directories(api_gpu_aware PRIVATE ${PROJECT_SOURCE_DIR}/tests/cuda ${PROJECT_SOURCE_DIR}/core/src)
    add_dependencies(api_gpu_aware fake_cuda)
    use_precompiled(standard_tests api_gpu_aware)
    set_target_properties(api_gpu_aware PROPERTIES ENABLE_EXPORTS ON) # its MPI comes before MPI's
    function(add_gpu_aware_test name)
        add_vk_test(api.vk.gpu_aware${name} ${ARGN} PROGRAM api_gpu_aware)
    endfunction()
    set(far_gpus PIXMPI_TEST_GPUS=2 PIXMPI_VK_PACK=commands ${unwatched} ${with_cuda} PIXMPI_ROUTE=mpi API_ROUTE=mpi)
    set(mpich PIXMPI_TEST_MPI_GPU=gpu)
    add_gpu_aware_test("" 2 3 ARGS gpu_aware verbs. refused. cancel. ${shapes} sizes.pairs persistent.pairs load.pairs
        ${told} vk_sync. ENVIRONMENT ${far_gpus} ${mpich} PIXMPI_PEER=128M)
    add_gpu_aware_test(.odd_band 3 ARGS gpu_aware verbs. refused. ${shapes} load.pairs
        ENVIRONMENT ${far_gpus} ${mpich} ${large} PIXMPI_BAND=12345 PIXMPI_PEER=4M)
    add_gpu_aware_test(.little_memory 2 ARGS gpu_aware ${told} load.pairs
        ENVIRONMENT ${far_gpus} ${mpich} PIXMPI_PEER=4M PIXMPI_STAGE=4M)
    add_gpu_aware_test(.open_mpi 2 ARGS gpu_aware ENVIRONMENT ${far_gpus} PIXMPI_TEST_MPI_GPU=cuda PIXMPI_PEER=128M)
    add_gpu_aware_test(.insisted 2 ARGS gpu_aware
        ENVIRONMENT ${far_gpus} PIXMPI_TEST_MPI_GPU=none PIXMPI_GPU_AWARE=1 PIXMPI_PEER=128M)
    add_gpu_aware_test(.forbidden 2 ARGS gpu_aware ENVIRONMENT ${far_gpus} ${mpich} PIXMPI_GPU_AWARE=0 PIXMPI_PEER=128M)
    add_gpu_aware_test(.not_taken 2 ARGS gpu_aware verbs.
        ENVIRONMENT ${far_gpus} PIXMPI_TEST_MPI_GPU=none PIXMPI_GPU_AWARE=auto PIXMPI_PEER=128M)

    # Copies within a process.
    add_executable(api_copy copy/copy_test.cpp copy/copy_cards_test.cpp copy/straight_copies_test.cpp rig/ends_gl.cpp
        rig/ends_vk.cpp)
    target_link_libraries(api_copy PRIVATE api_cases vkmpi glmpi demo_headless vk_rig pixmpi_options)
    target_include_directories(api_copy PRIVATE ${PROJECT_SOURCE_DIR}/tests/cuda)
    add_dependencies(api_copy fake_cuda)
    set_target_properties(api_copy PROPERTIES ENABLE_EXPORTS ON)
    function(add_copy_test name)
        add_vk_test(${name} ${ARGN} PROGRAM api_copy)
    endfunction()
    add_copy_test(api.copy 2 ARGS --threads serialized copy.)
    add_copy_test(api.copy.progress_thread 1 ARGS --threads multiple copy. ENVIRONMENT PIXMPI_PROGRESS=thread)
    add_copy_test(api.copy.straight 1 ARGS --threads serialized straight_copies. copy.two
        ENVIRONMENT PIXMPI_VK_PACK=shader PIXMPI_GL_PATH=card PIXMPI_GL_PACK=shader)
    add_copy_test(api.copy.straight.not 1 ARGS --threads serialized straight_copies.)
    add_copy_test(api.copy.card 1 ARGS --threads serialized copy. ENVIRONMENT ${unwatched} PIXMPI_GL_PATH=card
        PIXMPI_TEST_GPUS=1 PIXMPI_VK_PACK=commands)
    set(serialized --threads serialized)
    add_copy_test(api.copy.two_cards 1 ARGS ${serialized} copy_cards. copy.two ENVIRONMENT ${two_gpus} ${with_cuda}
        PIXMPI_PEER=64M)
    add_copy_test(api.copy.two_cards.odd_band 1 ARGS ${serialized} copy_cards. ENVIRONMENT ${two_gpus} ${with_cuda}
        PIXMPI_PEER=4M PIXMPI_BAND=12345)
    add_copy_test(api.copy.two_cards.no_cuda 1 ARGS ${serialized} copy_cards. ENVIRONMENT ${two_gpus})
    add_copy_test(api.copy.odd_band 1 ARGS --threads serialized copy. ENVIRONMENT PIXMPI_BAND=12345 PIXMPI_STAGE=1M
        PIXMPI_GL_PATH=pbo)

    # Memory that CPU and devices share: as it is on software drivers, and with a shadow that these do not need.
    add_executable(api_memory copy/memory_test.cpp rig/ends_gl.cpp rig/ends_vk.cpp)
    target_link_libraries(api_memory PRIVATE api_cases vkmpi glmpi demo_headless vk_rig pixmpi_options)
    set_target_properties(api_memory PROPERTIES ENABLE_EXPORTS ON)
    add_vk_test(api.memory 1 2 ARGS memory. PROGRAM api_memory)
    foreach(shadow signal userfaultfd)
        add_vk_test(api.memory.${shadow} 1 2 ARGS memory. PROGRAM api_memory ENVIRONMENT PIXMPI_SHADOW=${shadow})
    endforeach()
    add_vk_test(api.memory.release 1 ARGS memory.given_to_the_api_itself memory.system_calls PROGRAM api_memory
        ENVIRONMENT PIXMPI_SHADOW=userfaultfd PIXMPI_GL_FETCH=release)
    add_vk_test(api.memory.signal.pbo 1 ARGS memory. PROGRAM api_memory
        ENVIRONMENT PIXMPI_SHADOW=signal PIXMPI_GL_PATH=pbo PIXMPI_BAND=12345)

    # The library's own device, with layers that print.
    add_vk_test(api.vk.headless 1 2 ARGS vk_headless. ENVIRONMENT VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
        VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT)
    set_tests_properties(api.vk.headless.1 api.vk.headless.2 PROPERTIES FAIL_REGULAR_EXPRESSION "VUID-|SYNC-|UNASSIGNED-")

    add_executable(api_vk_absent vk/vk_absent_test.cpp)
    target_link_libraries(api_vk_absent PRIVATE api_cases vkmpi pixmpi_options)
    add_rank_test(api.vk.absent api_vk_absent 1 2 ARGS vk_absent.
        ENVIRONMENT VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null)
endif()
