# Stages: one object library for each folder of src/, and what each may use.

set(ORRERY_STAGES "" CACHE INTERNAL "")

# orrery_stage(<folder> [use...|ALL]): declare a stage. A folder without sources yet is only remembered in the table.
function(orrery_stage name)
    set(src ${CMAKE_CURRENT_SOURCE_DIR}/src)
    if(name STREQUAL "top")
        file(GLOB sources CONFIGURE_DEPENDS ${src}/*.c)
    else()
        file(GLOB sources CONFIGURE_DEPENDS ${src}/${name}/*.c ${src}/${name}/*/*.c)
    endif()
    set(ORRERY_STAGES ${ORRERY_STAGES} ${name} CACHE INTERNAL "")
    set(ORRERY_USES_${name} ${ARGN} CACHE INTERNAL "")
    if(NOT sources)
        return()
    endif()
    add_library(stage_${name} OBJECT ${sources})
    target_include_directories(stage_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/include ${src})
    target_link_libraries(stage_${name} PRIVATE orrery_flags orrery_deps_headers)
    # for the unit tests: an archive gives the linker only the members a test needs
    add_library(archive_${name} STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:stage_${name}>)
    set_target_properties(archive_${name} PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME stage_${name})
endfunction()

# orrery_texts(<stage> <name> <file> ...): files of src/ as texts inside the program, each a `const char text_<name>[]`: what
# stands in generated code word for word is compiled, or at least kept, as what it is.
function(orrery_texts stage)
    set(file ${CMAKE_BINARY_DIR}/generated/${stage}_texts.c)
    set(pairs ${ARGN})
    set(sources "")
    foreach(item ${ARGN})
        if(item MATCHES "/")
            list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/src/${item})
        endif()
    endforeach()
    list(JOIN pairs "|" pairs)
    add_custom_command(OUTPUT ${file}
        COMMAND ${CMAKE_COMMAND} -DOUT=${file} -DROOT=${CMAKE_CURRENT_SOURCE_DIR}/src "-DPAIRS=${pairs}"
            -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${sources} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
    target_sources(stage_${stage} PRIVATE ${file})
endfunction()

# orrery_closure(<out> <stage>...): the stages and everything they use, directly or not; cycles are fine.
function(orrery_closure out)
    set(todo ${ARGN})
    set(done "")
    while(todo)
        list(POP_FRONT todo stage)
        if(stage IN_LIST done)
            continue()
        endif()
        list(APPEND done ${stage})
        if(ORRERY_USES_${stage} STREQUAL "ALL")
            list(APPEND todo ${ORRERY_STAGES})
        else()
            list(APPEND todo ${ORRERY_USES_${stage}})
        endif()
    endwhile()
    set(${out} ${done} PARENT_SCOPE)
endfunction()

function(orrery_all_objects out)
    set(objects "")
    foreach(stage ${ORRERY_STAGES})
        if(TARGET stage_${stage})
            list(APPEND objects $<TARGET_OBJECTS:stage_${stage}>)
        endif()
    endforeach()
    set(${out} ${objects} PARENT_SCOPE)
endfunction()
