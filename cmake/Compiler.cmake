# g++ before 13 silently miscompiles ordinary coroutine code: temporaries in awaited
# expressions are destroyed twice, `if (co_await f())` corrupts the frame. The result
# compiles, passes simple tests and crashes in production, so we refuse to configure.
# docs/decisions/0001-compiler.md lists the cases.
function(gantry_refuse_miscompiling_compiler)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    message(FATAL_ERROR
      "g++ ${CMAKE_CXX_COMPILER_VERSION} silently miscompiles C++20 coroutines (double destruction of "
      "temporaries in co_await expressions, wrong frame layout). Gantry is built from coroutines and would "
      "crash at run time. Use clang++-19: cmake --preset release (see docs/decisions/0001-compiler.md).")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 17)
    message(FATAL_ERROR
      "clang++ ${CMAKE_CXX_COMPILER_VERSION} lacks std::expected with libstdc++ 12. Use clang++-19: "
      "cmake --preset release (see docs/decisions/0001-compiler.md).")
  endif()
endfunction()
