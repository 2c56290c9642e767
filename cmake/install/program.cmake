# Installs the program without debug symbols, linked by name and checksum to those in bin/.debug (symbols.cmake), which
# is where debuggers look first.
include("${CMAKE_CURRENT_LIST_DIR}/symbols_of.cmake")
set(gantry_folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${gantry_bindir}")
set(gantry_installed "${gantry_folder}/gantry")
file(MAKE_DIRECTORY "${gantry_folder}")
message(STATUS "Installing: ${gantry_installed}")
file(REMOVE "${gantry_installed}")  # a running program may be replaced, not rewritten
gantry_write_symbols("${gantry_program}" "${gantry_stage}/gantry.debug")
execute_process(COMMAND "${gantry_objcopy}" --strip-all "--add-gnu-debuglink=${gantry_stage}/gantry.debug"
                "${gantry_program}" "${gantry_installed}" COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD "${gantry_installed}" PERMISSIONS
     OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
execute_process(COMMAND "${gantry_installed}" --version RESULT_VARIABLE gantry_result OUTPUT_QUIET)
if(NOT gantry_result EQUAL 0)
  message(FATAL_ERROR "${gantry_objcopy} broke the program while stripping it")
endif()
