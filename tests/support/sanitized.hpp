#pragma once

namespace gantry::testing {

/// A sanitizer slows everything down and keeps what was freed, and more beside it: bounds on time and memory hold for
/// what users run.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace gantry::testing
