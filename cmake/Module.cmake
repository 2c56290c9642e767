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
  set_property(TARGET ${target} PROPERTY GANTRY_USES "${arg_USES}")  # for cmake/Archives.cmake
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${target} ${visibility} gantry_${used})
  endforeach()
  if(arg_SOURCES)
    gantry_precompile(${target})
  endif()

  if(GANTRY_TESTS AND arg_TESTS)
    set(labels)
    if(arg_CONCURRENT)
      set(labels concurrent)
    endif()
    gantry_test(${target}_test SOURCES ${arg_TESTS} USES ${name} ${arg_TEST_USES} LIBS ${arg_TEST_LIBS} LABELS ${labels})
  endif()
  if(GANTRY_FUZZ)
    foreach(source IN LISTS arg_FUZZ)
      get_filename_component(stem ${source} NAME_WE)
      add_executable(${stem} ${source})
      target_link_libraries(${stem} PRIVATE ${target})
      target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
      set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
      add_dependencies(fuzz_targets ${stem})
    endforeach()
  endif()
endfunction()

# What the tsan and fuzz runs build, instead of everything.
add_custom_target(concurrent_tests)
add_custom_target(fuzz_targets)

# A gtest program whose cases ctest sees one by one; GTEST_SKIP counts as skipped there.
function(gantry_test target)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;LIBS;LABELS" ${ARGN})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE gantry_test_support GTest::gtest GTest::gmock GTest::gtest_main ${arg_LIBS})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${target} PRIVATE gantry_${used})
  endforeach()
  target_compile_options(${target} PRIVATE ${gantry_test_flags})
  gantry_precompile(${target} PROGRAM)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if("concurrent" IN_LIST arg_LABELS)
    add_dependencies(concurrent_tests ${target})
  endif()
  # The values of a test's parameters can be as long as a screen is wide; the names given to them are not.
  # One label, since a list does not survive gtest_discover_tests: "concurrent/gantry_io_test". ctest looks for a part of
  # it, so that a run can choose by either (tools/test-selection).
  list(JOIN arg_LABELS "/" label)
  string(APPEND label "/${target}")
  gtest_discover_tests(${target} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300 LABELS "${label}")
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set_property(GLOBAL APPEND PROPERTY GANTRY_TEST_PROGRAMS "${target} ${folder} ${arg_LABELS}")
endfunction()
