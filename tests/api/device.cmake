# Messages from inside running shaders, on the Vulkan device and in the OpenGL context of the other tests.
if(TARGET vk_rig)
    add_executable(api_device device/device_rig.cpp device/device_side_gl.cpp device/device_side_vk.cpp
        device/device_test.cpp device/device_errors_test.cpp device/device_away_test.cpp device/device_gl_test.cpp
        device/device_cards_test.cpp device/device_more_test.cpp rig/ends_gl.cpp rig/ends_vk.cpp)
    add_shader_text(TARGET api_device SOURCE device/shaders/device_common.glsl NAME device_common_text)
    foreach(shader ring data one_sided collectives nonblocking host images wrong each random quiet
        flood long_message away)
        add_shader_header(TARGET api_device SOURCE device/shaders/device_${shader}.comp NAME ${shader}_shader
            INCLUDES ${CMAKE_CURRENT_SOURCE_DIR}/device/shaders/device_common.glsl
                ${PROJECT_SOURCE_DIR}/shaders/pixmpi_device.glsl)
        add_shader_text(TARGET api_device SOURCE device/shaders/device_${shader}.comp NAME ${shader}_text)
    endforeach()
    add_shader_header(TARGET api_device SOURCE device/shaders/device_each.comp NAME subgroups_shader DEFINES SUBGROUPS=1
        INCLUDES ${CMAKE_CURRENT_SOURCE_DIR}/device/shaders/device_common.glsl ${PROJECT_SOURCE_DIR}/shaders/pixmpi_device.glsl)
    target_link_libraries(api_device PRIVATE api_cases vkmpi glmpi demo_headless vk_rig pixmpi_options)
    target_include_directories(api_device PRIVATE ${PROJECT_SOURCE_DIR}/tests/cuda)
    add_dependencies(api_device fake_cuda)
    use_precompiled(standard_tests api_device)
    set_target_properties(api_device PROPERTIES ENABLE_EXPORTS ON)
    add_vk_test(api.device 1 2 3 PROGRAM api_device ARGS device. device_cards. device_errors.)
    add_vk_test(api.device.more 1 3 PROGRAM api_device ARGS device_more.)
    add_vk_test(api.device.flood 2 PROGRAM api_device ARGS device_flood. ENVIRONMENT PIXMPI_STAGE=1M)
    add_vk_test(api.device.more.mixed 2 PROGRAM api_device ARGS device_more. ENVIRONMENT API_DEVICE=mixed)
    add_vk_test(api.device.gl 1 PROGRAM api_device ARGS device. device_errors. device_gl. ENVIRONMENT API_DEVICE=gl)
    add_vk_test(api.device.gl 2 4 PROGRAM api_device ARGS device. device_gl. device_errors.of_runs
        ENVIRONMENT API_DEVICE=gl)
    foreach(version 4.2 4.3)
        add_vk_test(api.device.gl.lacks.${version} 1 PROGRAM api_device ARGS device_gl_lacks.
            ENVIRONMENT MESA_GL_VERSION_OVERRIDE=${version} MESA_EXTENSION_OVERRIDE=-GL_ARB_buffer_storage)
    endforeach()
    # Windows as cards have them: moved by a queue of their own, which on software drivers is the only one.
    add_vk_test(api.device.message_queue 2 PROGRAM api_device ARGS device. ENVIRONMENT VK_RIG_MESSAGES=1)
    # Processes that do not call the library.
    add_vk_test(api.device.away 3 PROGRAM api_device ARGS device_away.)
    add_vk_test(api.device.away.gl 2 PROGRAM api_device ARGS device_away. ENVIRONMENT API_DEVICE=gl)
    add_vk_test(api.device.away.route_mpi 2 PROGRAM api_device ARGS --threads multiple device_away.in_mpi
        ENVIRONMENT PIXMPI_ROUTE=mpi)
    add_vk_test(api.device.away.calls_alone 2 PROGRAM api_device ARGS device_away. ENVIRONMENT PIXMPI_ROUTE=mpi)
    # What the compiler has to refuse.
    add_test(NAME api.device.refused_shaders COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/device/refused_shaders.sh
        ${GLSLANG_VALIDATOR} ${PROJECT_SOURCE_DIR}/shaders ${CMAKE_CURRENT_SOURCE_DIR}/device/shaders/device_refused.comp)
    # Ranks that say they have cards, whose windows the cards of others reach by CUDA, or do not.
    foreach(gpus 1 2)
        math(EXPR ranks "${gpus} + 1") # two of them share a GPU
        add_vk_test(api.device.cards.${gpus} 1 ${ranks} PROGRAM api_device ARGS device_cards.
            ENVIRONMENT VK_RIG_MESSAGES=1 PIXMPI_TEST_GPUS=${gpus} PIXMPI_VK_PACK=commands ${unwatched} ${with_cuda})
    endforeach()
    add_vk_test(api.device.cards.no_cuda 2 PROGRAM api_device ARGS device_cards.
        ENVIRONMENT VK_RIG_MESSAGES=1 PIXMPI_TEST_GPUS=2 PIXMPI_VK_PACK=commands ${unwatched})
    # The slots of ranks in turn of Vulkan and of OpenGL.
    add_vk_test(api.device.mixed 2 PROGRAM api_device ARGS device. ENVIRONMENT API_DEVICE=mixed)
    add_vk_test(api.device.route_mpi 2 PROGRAM api_device ARGS device. device_errors. ENVIRONMENT PIXMPI_ROUTE=mpi API_ROUTE=mpi)
endif()
