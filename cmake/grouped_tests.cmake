# add_grouped_tests(TARGET PREFIX [TIMEOUT seconds] [LABELS label...] [GROUPS beginning...] [ENVIRONMENT name=value...])
# Makes a GoogleTest program few ctest tests: one for each rig (the last part of a parametrized test's name) or, without
# parameters, for each suite. Rigs whose names begin with one of GROUPS, the first that fits, are one test together. What
# the process sets up once, a context of a graphics driver and its shaders for instance, serves all cases. They begin
# before other tests (COST), for a long one that begins last would run alone.
set(group_tests_script ${CMAKE_CURRENT_LIST_DIR}/group_tests.cmake)

function(add_grouped_tests target prefix)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "LABELS;GROUPS;ENVIRONMENT")
    set(groups ${CMAKE_CURRENT_BINARY_DIR}/${target}_groups.cmake)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS ${groups}
        COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D OUTPUT=${groups}
            "-DGROUPS=${arg_GROUPS}" -P ${group_tests_script})
    # ctest reads this. A program that has not been built is one test that fails.
    file(CONFIGURE OUTPUT ${target}_include.cmake @ONLY CONTENT [[
set(names "@target@_NOT_BUILT")
set(filters "*")
set(program "@target@_NOT_BUILT")
include("@groups@" OPTIONAL)
foreach(name filter IN ZIP_LISTS names filters)
    add_test("@prefix@@target@.${name}" ${program} --gtest_filter=${filter})
    set_tests_properties("@prefix@@target@.${name}" PROPERTIES
        COST 100 TIMEOUT "@arg_TIMEOUT@" LABELS "@arg_LABELS@" ENVIRONMENT "@arg_ENVIRONMENT@")
endforeach()
]])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
endfunction()
