# Installs the program's debug symbols beside it.
set(gantry_folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${gantry_bindir}/.debug")
file(MAKE_DIRECTORY "${gantry_folder}")
message(STATUS "Installing: ${gantry_folder}/gantry.debug")
execute_process(COMMAND "${gantry_objcopy}" --only-keep-debug "${gantry_program}" "${gantry_folder}/gantry.debug"
                COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD "${gantry_folder}/gantry.debug" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${CMAKE_INSTALL_PREFIX}/${gantry_bindir}/.debug/gantry.debug")
