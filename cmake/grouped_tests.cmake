# add_grouped_tests(TARGET PREFIX [TIMEOUT seconds] [LABELS label...] [ENVIRONMENT name=value...])
# Makes a GoogleTest program few ctest tests: one for each rig (the last part of a parametrized test's name) or, without
# parameters, for each suite. What the process sets up once, a context of a graphics driver for instance, serves all cases.
set(group_tests_script ${CMAKE_CURRENT_LIST_DIR}/group_tests.cmake)

function(add_grouped_tests target prefix)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "LABELS;ENVIRONMENT")
    set(groups ${CMAKE_CURRENT_BINARY_DIR}/${target}_groups.cmake)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS ${groups}
        COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D OUTPUT=${groups} -P ${group_tests_script})
    # ctest reads this. A program that has not been built is one test that fails.
    file(CONFIGURE OUTPUT ${target}_include.cmake @ONLY CONTENT [[
set(names "@target@_NOT_BUILT")
set(filters "*")
set(program "@target@_NOT_BUILT")
include("@groups@" OPTIONAL)
foreach(name filter IN ZIP_LISTS names filters)
    add_test("@prefix@@target@.${name}" ${program} --gtest_filter=${filter})
    set_tests_properties("@prefix@@target@.${name}" PROPERTIES
        TIMEOUT "@arg_TIMEOUT@" LABELS "@arg_LABELS@" ENVIRONMENT "@arg_ENVIRONMENT@")
endforeach()
]])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
endfunction()
