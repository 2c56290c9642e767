#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>

namespace gantry::testing {

/// A sanitizer slows everything down and keeps what was freed, and more beside it: bounds on time and memory hold for
/// what users run.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// A line of /proc/PID/status in bytes: "VmRSS:" is what the process holds now, "VmHWM:" the most it held.
inline std::size_t process_memory(int pid, std::string_view line) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    std::string word;
    while (status >> word) {
        std::size_t kilobytes = 0;
        if (word == line && status >> kilobytes) return kilobytes * 1024;
    }
    return 0;
}

/// From now on "VmHWM:" is the most that is held from now on.
inline void forget_peak(int pid) {
    std::ofstream("/proc/" + std::to_string(pid) + "/clear_refs") << "5";
}

}  // namespace gantry::testing
