#pragma once

namespace gantry::testing {

/// A sanitizer slows everything down, keeps freed memory and adds its own: bounds on time and memory apply to regular
/// builds.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace gantry::testing
