# Everything comes from Debian 12 packages; docs/decisions/0002-dependencies.md says why each one.
# The libraries need these:
find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(LIBSECRET IMPORTED_TARGET libsecret-1)  # optional: without it tokens go to the encrypted file
if(GANTRY_PROGRAM)
  find_package(CLI11 CONFIG REQUIRED)
  find_package(SQLite3 REQUIRED)
  find_library(GANTRY_PROMETHEUS prometheus-cpp-core REQUIRED)  # its package file asks for servers we do not use
  pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
  find_package(mimalloc CONFIG QUIET)  # optional: without it the program allocates through the C library
endif()
if(GANTRY_TESTS)
  # make bench and make tuned do without; tools/build configures again once it is there.
  find_package(GTest CONFIG QUIET)
  if(GTest_FOUND)
    include(GoogleTest)
  else()
    message(STATUS "Tests left out: libgtest-dev is missing (tools/setup test)")
    set(GANTRY_TESTS OFF)
  endif()
endif()
if(GANTRY_BENCH)
  # Optional, for the micro-benchmarks: make test should not need the yardsticks of make bench.
  find_package(benchmark CONFIG QUIET)
  find_package(simdjson CONFIG QUIET)
endif()
