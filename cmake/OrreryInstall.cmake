# What `cmake --install` puts where.

if(TARGET orrery)
    install(TARGETS orrery RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

if(TARGET orrery_shared)
    install(TARGETS orrery_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

    # The static library for others is one object: ours, SUNDIALS and libtcc linked together, with only orr_ symbols
    # left to see, so that nobody needs the folders we were built from and no name of theirs can clash.
    if(NOT ORRERY_SANITIZE)
        set(archive ${CMAKE_BINARY_DIR}/install/liborrery.a)
        add_custom_command(OUTPUT ${archive}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/install
            COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
            COMMAND ${CMAKE_LINKER} -r -o ${CMAKE_BINARY_DIR}/install/orrery.o
                --whole-archive $<TARGET_FILE:orrery_static> --no-whole-archive
                --start-group ${ORRERY_OWN_ARCHIVES} --end-group
            COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=orr_* ${CMAKE_BINARY_DIR}/install/orrery.o
            COMMAND ${CMAKE_AR} rcs ${archive} ${CMAKE_BINARY_DIR}/install/orrery.o
            DEPENDS orrery_static
            COMMENT "Linking the static library for installation"
            VERBATIM)
        add_custom_target(orrery_install_archive ALL DEPENDS ${archive})
        install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()
endif()

file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/orrery/*.h)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery)

# relative to the file itself, so that the installed tree may be moved
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cmake/orrery.pc.in ${CMAKE_BINARY_DIR}/orrery.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/orrery.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The library of components, which `use "electrical"` finds there; the examples, which use it; the documents.
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/examples/lib DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
    FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/docs/orrery.1)
    install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/docs/orrery.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/tools/completion/orrery.bash)
    install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/tools/completion/orrery.bash RENAME orrery
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
