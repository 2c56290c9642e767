# Installs the program without debug symbols, linked by name and checksum to those in bin/.debug (symbols.cmake), which
# is where debuggers look first.
set(gantry_folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${gantry_bindir}")
set(gantry_installed "${gantry_folder}/gantry")
set(gantry_symbols "${gantry_stage}/gantry.debug")
file(MAKE_DIRECTORY "${gantry_folder}" "${gantry_stage}")
message(STATUS "Installing: ${gantry_installed}")
file(REMOVE "${gantry_installed}")  # a running program may be replaced, not rewritten
execute_process(COMMAND "${gantry_objcopy}" --only-keep-debug "${gantry_program}" "${gantry_symbols}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${gantry_objcopy}" --strip-all "--add-gnu-debuglink=${gantry_symbols}" "${gantry_program}" "${gantry_installed}"
                COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD "${gantry_installed}" PERMISSIONS
     OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${CMAKE_INSTALL_PREFIX}/${gantry_bindir}/gantry")
