# Tests: one program for each tests/**/test_*.c, every script tests/*/test_*.sh, and the fuzz targets.

set(tests ${CMAKE_CURRENT_SOURCE_DIR}/tests)
find_path(ORRERY_CMOCKA_INCLUDE cmocka.h)
find_library(ORRERY_CMOCKA cmocka)

set(test_environment
    "ORRERY=$<IF:$<TARGET_EXISTS:orrery>,${CMAKE_BINARY_DIR}/bin/orrery,>"
    "ORRERY_SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}"
    "ORRERY_BUILD_DIR=${CMAKE_BINARY_DIR}"
    "ORRERY_CC=${CMAKE_C_COMPILER}"
    "ORRERY_SANITIZE=${ORRERY_SANITIZE}")

# how long a test may take, in s: machines may be busy, and sanitizers are slow
set(patience 1800)
if(ORRERY_SANITIZE)
    set(patience 3600)
endif()

add_custom_target(unit_tests)      # what ./check builds under the sanitizers
add_custom_target(fuzz_targets)

# The name of a test program: test_<name>, or test_<folder>_<name> if that is taken.
function(orrery_test_target out file)
    get_filename_component(name ${file} NAME_WE)
    if(TARGET ${name})
        get_filename_component(dir ${file} DIRECTORY)
        get_filename_component(dir ${dir} NAME)
        string(REGEX REPLACE "^test_" "test_${dir}_" name ${name})
    endif()
    set(${out} ${name} PARENT_SCOPE)
endfunction()

# orrery_test(<source> <libraries>...): a cmocka program, known to CTest by its path without test_ and .c.
function(orrery_test file)
    orrery_test_target(target ${file})
    file(RELATIVE_PATH label ${tests} ${file})
    string(REGEX REPLACE "test_([^/]*)\\.c$" "\\1" label ${label})
    get_filename_component(dir ${file} DIRECTORY)
    # what else is in its folder
    file(GLOB parts CONFIGURE_DEPENDS ${dir}/*.c)
    list(FILTER parts EXCLUDE REGEX "/(test|fuzz)_[^/]*$")
    add_executable(${target} ${file} ${parts})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_include_directories(${target} PRIVATE ${dir} ${tests}/common ${CMAKE_CURRENT_SOURCE_DIR}/include
        ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE orrery_flags orrery_deps_headers ${ARGN} ${ORRERY_CMOCKA})
    add_test(NAME ${label} COMMAND ${target} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(${label} PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT ${patience})
    # half a minute of work, and machines may be busy
    if(label MATCHES "^manufactured/")
        set_tests_properties(${label} PROPERTIES COST 900 TIMEOUT ${patience})
    endif()
    if(label MATCHES "^unit/")
        add_dependencies(unit_tests ${target})
        set_tests_properties(${label} PROPERTIES LABELS unit)
    endif()
endfunction()

if(ORRERY_CMOCKA AND ORRERY_CMOCKA_INCLUDE)
    foreach(stage ${ORRERY_STAGES})
        file(GLOB files CONFIGURE_DEPENDS ${tests}/unit/${stage}/test_*.c)
        if(NOT files)
            continue()
        endif()
        orrery_closure(uses ${stage})
        if(model IN_LIST uses)    # who uses models compiles and simulates them in tests
            orrery_closure(uses ${stage} top api exp)
        endif()
        set(archives "")
        foreach(use ${uses})
            if(TARGET archive_${use})
                list(APPEND archives archive_${use})
            endif()
        endforeach()
        list(JOIN archives "," archives)
        if(archives)
            set(archives "$<LINK_GROUP:RESCAN,${archives}>")
        endif()
        foreach(file ${files})
            orrery_test(${file} ${archives} orrery_deps_static)
        endforeach()
    endforeach()

    # everything else is linked with the whole library
    file(GLOB files CONFIGURE_DEPENDS ${tests}/*/test_*.c)
    foreach(file ${files})
        orrery_test(${file} $<TARGET_NAME_IF_EXISTS:orrery_static>)
    endforeach()
else()
    message(WARNING "cmocka not found: no C tests; run tools/deps.")
endif()

file(GLOB files CONFIGURE_DEPENDS ${tests}/*/test_*.sh)
foreach(file ${files})
    file(RELATIVE_PATH label ${tests} ${file})
    string(REGEX REPLACE "test_([^/]*)\\.sh$" "\\1" label ${label})
    add_test(NAME ${label} COMMAND bash ${file} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(${label} PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT ${patience}
        SKIP_RETURN_CODE 77)
    # the longest begin first, so that no core waits for them in the end
    if(label MATCHES "^models/")
        set_tests_properties(${label} PROPERTIES COST 1000 TIMEOUT ${patience})
    endif()
endforeach()

# texts of code that was being made when memory ended are lost
if(TEST api/limits)
    set_property(TEST api/limits APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()

# Fuzz targets: with libFuzzer when asked for; else with a main of our own that replays the corpus.
file(GLOB files CONFIGURE_DEPENDS ${tests}/fuzz/fuzz_*.c)
foreach(file ${files})
    get_filename_component(target ${file} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" name ${target})
    if(ORRERY_FUZZ)
        add_executable(${target} ${file})
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    else()
        add_executable(${target} ${file} ${tests}/fuzz/standalone.c)
    endif()
    add_dependencies(fuzz_targets ${target})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    target_include_directories(${target} PRIVATE ${tests}/fuzz ${tests}/common ${CMAKE_CURRENT_SOURCE_DIR}/include
        ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE orrery_flags orrery_deps_headers $<TARGET_NAME_IF_EXISTS:orrery_static>)
    if(NOT ORRERY_FUZZ AND IS_DIRECTORY ${tests}/fuzz/corpus/${name})
        add_test(NAME fuzz/${name} COMMAND ${target} ${tests}/fuzz/corpus/${name})
        set_tests_properties(fuzz/${name} PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT ${patience} LABELS unit)
        add_dependencies(unit_tests ${target})
    endif()
endforeach()

# Saved runs and the models of this project with random changes, always the same ones; the first also under the
# sanitizers in ./check.
if(NOT ORRERY_FUZZ)
    add_test(NAME fuzz/checkpoints COMMAND fuzz_checkpoint -random 3000)
    set_tests_properties(fuzz/checkpoints PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT ${patience} LABELS unit)
    add_dependencies(unit_tests fuzz_store)
    add_test(NAME fuzz/stores COMMAND fuzz_store -random 300)
    set_tests_properties(fuzz/stores PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT ${patience} LABELS unit)
    add_test(NAME fuzz/program COMMAND fuzz_program -random 2000)
    set_tests_properties(fuzz/program PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT ${patience})
endif()
