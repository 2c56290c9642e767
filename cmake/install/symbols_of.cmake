# gantry_write_symbols(PROGRAM FILE): the program's debug symbols; sets gantry_objcopy to what can strip that program.
#
# What BOLT has laid out (tools/build-tuned) GNU objcopy turns into a program that crashes, and llvm-objcopy cannot take the
# symbols out of it. There the symbols are the whole program as BOLT wrote it.
function(gantry_write_symbols program file)
  get_filename_component(folder "${file}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  execute_process(COMMAND readelf -SW "${program}" OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
  if(sections MATCHES "[.]note[.]bolt_info")
    find_program(GANTRY_LLVM_OBJCOPY NAMES llvm-objcopy-19 llvm-objcopy REQUIRED)
    set(gantry_objcopy "${GANTRY_LLVM_OBJCOPY}" PARENT_SCOPE)
    set(whole "${program}")
    if(EXISTS "${program}-symbols")
      set(whole "${program}-symbols")
    endif()
    file(COPY_FILE "${whole}" "${file}")
  else()
    set(gantry_objcopy objcopy PARENT_SCOPE)
    execute_process(COMMAND objcopy --only-keep-debug "${program}" "${file}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(CHMOD "${file}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()
