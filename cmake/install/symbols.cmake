# Installs the program's debug symbols beside it.
include("${CMAKE_CURRENT_LIST_DIR}/symbols_of.cmake")
set(gantry_folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${gantry_bindir}/.debug")
message(STATUS "Installing: ${gantry_folder}/gantry.debug")
gantry_write_symbols("${gantry_program}" "${gantry_folder}/gantry.debug")
