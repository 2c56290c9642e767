# Headers of other people's libraries, parsed once per kind of target instead of once per file: about half of the
# build's time. Only foreign headers, so that the layers stay what they are.
option(GANTRY_PRECOMPILE "Parse the headers of libraries once" ON)

function(gantry_precompiled_carrier kind)
  add_library(gantry_precompiled_${kind} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled/empty.cpp)
  target_link_libraries(gantry_precompiled_${kind} PRIVATE gantry_flags ${ARGN})
  # With a time stamp inside, ccache would never find what it has seen before.
  target_compile_options(gantry_precompiled_${kind} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  # Found through the include path: an absolute path would make the generated header differ from clone to clone.
  target_include_directories(gantry_precompiled_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/cmake)
  target_precompile_headers(gantry_precompiled_${kind} PRIVATE <precompiled/${kind}.hpp>)
endfunction()

if(GANTRY_PRECOMPILE)
  gantry_precompiled_carrier(std)
  if(GANTRY_TESTS)
    gantry_precompiled_carrier(test GTest::gtest GTest::gmock)
    # Tests are programs, and a program's code is not a library's.
    set_target_properties(gantry_precompiled_test PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(gantry_precompiled_test PRIVATE -fPIE ${gantry_test_flags})
  endif()
endif()

# Gives `target` the headers precompiled for its kind: PROGRAM for tests.
function(gantry_precompile target)
  if(NOT GANTRY_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(arg "PROGRAM" "" "" ${ARGN})
  set(kind std)
  if(arg_PROGRAM)
    set(kind test)
  endif()
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake)  # the generated header is read again
  target_precompile_headers(${target} REUSE_FROM gantry_precompiled_${kind})
endfunction()
