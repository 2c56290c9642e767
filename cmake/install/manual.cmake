# Manual pages and shell completions, written by the program itself.
set(gantry_root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(gantry_manual "${gantry_root}/${gantry_mandir}/man1")
file(MAKE_DIRECTORY "${gantry_manual}")
message(STATUS "Installing: ${gantry_manual}")
execute_process(COMMAND "${gantry_program}" manual "${gantry_manual}" COMMAND_ERROR_IS_FATAL ANY)

function(install_completion shell file)
  get_filename_component(folder "${gantry_root}/${gantry_datadir}/${file}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  message(STATUS "Installing: ${gantry_root}/${gantry_datadir}/${file}")
  execute_process(COMMAND "${gantry_program}" completion ${shell} OUTPUT_FILE "${gantry_root}/${gantry_datadir}/${file}"
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()
install_completion(bash bash-completion/completions/gantry)
install_completion(zsh zsh/site-functions/_gantry)
install_completion(fish fish/vendor_completions.d/gantry.fish)
