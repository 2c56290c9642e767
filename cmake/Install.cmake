# make install: the program without its debug symbols (which go beside it), manual pages, completions, the manifest, and the libraries
# for find_package(Gantry) and pkg-config. Components: program, symbols, library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What is installed is named by the caller (tools/install); `all` would include tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

if(GANTRY_PROGRAM)
  # At install time, from the program as it is then: tools/build-tuned rewrites it after linking.
  install(CODE "set(gantry_program \"$<TARGET_FILE:gantry>\")
    set(gantry_bindir \"${CMAKE_INSTALL_BINDIR}\")\nset(gantry_stage \"${PROJECT_BINARY_DIR}/stage\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/install/program.cmake\")" COMPONENT program)
  install(CODE "set(gantry_program \"$<TARGET_FILE:gantry>\")
    set(gantry_bindir \"${CMAKE_INSTALL_BINDIR}\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/install/symbols.cmake\")" COMPONENT symbols)
  install(CODE "set(gantry_program \"$<TARGET_FILE:gantry>\")
    set(gantry_mandir \"${CMAKE_INSTALL_MANDIR}\")\nset(gantry_datadir \"${CMAKE_INSTALL_DATADIR}\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/install/manual.cmake\")" COMPONENT program)
  install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(FILES packaging/gantry.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT program)
  install(DIRECTORY packaging/sandbox DESTINATION ${CMAKE_INSTALL_DATADIR}/gantry COMPONENT program)
endif()

set(gantry_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Gantry)
install(DIRECTORY include/gantry DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library FILES_MATCHING PATTERN "*.hpp")
install(TARGETS gantry_archive_core gantry_archive_client gantry_archive_server EXPORT GantryTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT GantryTargets NAMESPACE Gantry:: DESTINATION ${gantry_cmake_dir} COMPONENT library)
configure_package_config_file(cmake/install/GantryConfig.cmake.in ${PROJECT_BINARY_DIR}/GantryConfig.cmake
  INSTALL_DESTINATION ${gantry_cmake_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/GantryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/GantryConfig.cmake ${PROJECT_BINARY_DIR}/GantryConfigVersion.cmake
  DESTINATION ${gantry_cmake_dir} COMPONENT library)

# pkg-config: one file per library, with the prefix taken from where the file lies.
set(gantry_requires "openssl re2")
if(LIBSECRET_FOUND)
  string(APPEND gantry_requires " libsecret-1")
endif()
foreach(part client server)
  configure_file(cmake/install/gantry.pc.in ${PROJECT_BINARY_DIR}/gantry-${part}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/gantry-${part}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endforeach()
