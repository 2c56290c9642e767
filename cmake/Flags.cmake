# Flags every Gantry target compiles and links with, carried by one interface target.
add_library(gantry_flags INTERFACE)
target_compile_options(gantry_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wthread-safety -Werror=return-type
  -Werror=unused-result -Wno-missing-designated-field-initializers -fno-omit-frame-pointer -pthread)
if(GANTRY_SANITIZE)
  target_compile_options(gantry_flags INTERFACE -fsanitize=${GANTRY_SANITIZE} -fno-sanitize-recover=undefined)
  target_link_options(gantry_flags INTERFACE -fsanitize=${GANTRY_SANITIZE})
else()
  target_compile_options(gantry_flags INTERFACE
    -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  target_compile_definitions(gantry_flags INTERFACE _GLIBCXX_ASSERTIONS $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
  target_link_options(gantry_flags INTERFACE -pie -Wl,-z,relro,-z,now)
endif()

# The tuned program (tools/build-tuned): first one that counts, then one laid out by what the first has seen.
set(GANTRY_PROFILE_GENERATE "" CACHE PATH "Folder for the profiles of a program that counts")
set(GANTRY_PROFILE_USE "" CACHE FILEPATH "Merged profile to build by")
option(GANTRY_LTO "Optimise across files when linking (ThinLTO, needs lld)" OFF)
if(GANTRY_PROFILE_GENERATE)
  target_compile_options(gantry_flags INTERFACE -fprofile-generate=${GANTRY_PROFILE_GENERATE})
  target_link_options(gantry_flags INTERFACE -fprofile-generate)
endif()
if(GANTRY_PROFILE_USE)
  target_compile_options(gantry_flags INTERFACE -fprofile-use=${GANTRY_PROFILE_USE}
    -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date -Wno-backend-plugin)
endif()
if(GANTRY_LTO)
  target_compile_options(gantry_flags INTERFACE -flto=thin)
  # Relocations stay in the program for tools/build-tuned, which lays it out once more.
  target_link_options(gantry_flags INTERFACE -flto=thin -fuse-ld=lld -Wl,--emit-relocs)
endif()

find_program(GANTRY_MOLD mold)
if(GANTRY_MOLD AND NOT GANTRY_LTO)
  target_link_options(gantry_flags INTERFACE -fuse-ld=mold)
endif()

# What the tests themselves are compiled with, after everything else. Optimising a test takes two thirds of the time its
# build takes, under sanitizers three quarters, and makes nothing faster that counts.
set(gantry_test_flags -O0 -U_FORTIFY_SOURCE)
if(GANTRY_SANITIZE MATCHES "fuzzer-no-link")
  # Coverage is for the fuzzer, and no fuzz target calls a test: a sixth of a test's compile time, half of its object file.
  list(APPEND gantry_test_flags -fno-sanitize=fuzzer-no-link)
endif()
