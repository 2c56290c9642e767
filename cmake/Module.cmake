# gantry_module(NAME SOURCES a.cpp … [USES other modules] [LIBS external targets]
#               [TESTS a_test.cpp …] [TEST_USES …] [CONCURRENT] [FUZZ a_fuzz.cpp …])
#
# One folder, one library gantry_NAME, one test program gantry_NAME_test, one fuzz
# program per FUZZ file. CONCURRENT marks tests that the tsan run repeats.
# USES is checked against the arrows of the architecture by tools/check-layers.
function(gantry_module name)
  cmake_parse_arguments(arg "CONCURRENT" "" "SOURCES;USES;LIBS;TESTS;TEST_USES;TEST_LIBS;FUZZ" ${ARGN})
  set(target gantry_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(visibility PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_include_directories(${target} ${visibility} ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} ${visibility} gantry_flags ${arg_LIBS})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${target} ${visibility} gantry_${used})
  endforeach()

  if(GANTRY_TESTS AND arg_TESTS)
    gantry_test(${target}_test SOURCES ${arg_TESTS} USES ${name} ${arg_TEST_USES} LIBS ${arg_TEST_LIBS}
                LABELS $<$<BOOL:${arg_CONCURRENT}>:concurrent>)
  endif()
  if(GANTRY_FUZZ)
    foreach(source IN LISTS arg_FUZZ)
      get_filename_component(stem ${source} NAME_WE)
      add_executable(${stem} ${source})
      target_link_libraries(${stem} PRIVATE ${target})
      target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
      set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    endforeach()
  endif()
endfunction()

# A gtest program whose cases ctest sees one by one; GTEST_SKIP counts as skipped there.
function(gantry_test target)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;LIBS;LABELS" ${ARGN})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE gantry_test_support GTest::gtest GTest::gmock GTest::gtest_main ${arg_LIBS})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${target} PRIVATE gantry_${used})
  endforeach()
  target_compile_definitions(${target} PRIVATE GANTRY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" GANTRY_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300 LABELS "${arg_LABELS}")
endfunction()
