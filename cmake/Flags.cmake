# Flags every Gantry target compiles and links with, carried by one interface target.
add_library(gantry_flags INTERFACE)
target_compile_options(gantry_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wthread-safety -Werror=return-type
  -Werror=unused-result -Wno-missing-designated-field-initializers -fno-omit-frame-pointer -pthread)
target_compile_definitions(gantry_flags INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  # One reactor thread per io_context by design; the strand pool and signal set threads are unused.
  BOOST_ASIO_DISABLE_BOOST_REGEX
  # Its own cache of frames holds two, none beyond a kilobyte, and goes through aligned_alloc for the rest; the
  # allocator's own is better at this.
  BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING BOOST_ASIO_DISABLE_STD_ALIGNED_ALLOC BOOST_ASIO_DISABLE_BOOST_ALIGN)

if(GANTRY_SANITIZE)
  target_compile_options(gantry_flags INTERFACE -fsanitize=${GANTRY_SANITIZE} -fno-sanitize-recover=undefined)
  target_link_options(gantry_flags INTERFACE -fsanitize=${GANTRY_SANITIZE})
else()
  target_compile_options(gantry_flags INTERFACE
    -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  target_compile_definitions(gantry_flags INTERFACE _GLIBCXX_ASSERTIONS $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
  target_link_options(gantry_flags INTERFACE -pie -Wl,-z,relro,-z,now)
endif()

find_program(GANTRY_MOLD mold)
if(GANTRY_MOLD)
  target_link_options(gantry_flags INTERFACE -fuse-ld=mold)
endif()
