# The suite on Vulkan: by copy commands and by shaders, with stage memory imported and copied, on queues of all kinds.
if(TARGET vkmpi_objects AND TARGET Vulkan::Vulkan)
    find_package(Threads REQUIRED)
    add_library(vk_rig OBJECT vk_rig_device.cpp vk_rig_memory.cpp vk_interpose.cpp vk_interpose_memory.cpp)
    target_include_directories(vk_rig PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    target_include_directories(vk_rig PRIVATE ${PROJECT_SOURCE_DIR}/vkmpi/include ${PROJECT_SOURCE_DIR}/core/include)
    target_link_libraries(vk_rig PUBLIC Vulkan::Vulkan MPI::MPI_C Threads::Threads PRIVATE pixmpi_options)

    set(vk_environment LP_NUM_THREADS=0)
    if(PIXMPI_SANITIZE)
        list(APPEND vk_environment ASAN_OPTIONS=detect_leaks=0) # the validation layers keep memory until the end
    endif()
    device_program(device_vk vk_rigs.cpp vk_rig_buffers.cpp vk_rig_contexts.cpp vk_validation_test.cpp
        vk_overdue_test.cpp vk_ahead_test.cpp vk_straight_test.cpp vk_views_test.cpp
        LIBRARIES device_suite vkmpi_objects vk_rig
        GROUPS vk_commands_copied vk_commands vk_shaders_copied vk_shaders vk_transfer_queue vk_whole_queue
        ENVIRONMENT ${vk_environment})
endif()
