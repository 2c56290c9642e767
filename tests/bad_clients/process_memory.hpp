#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>

namespace gantry::testing {

/// A line of /proc/PID/status in bytes: "VmRSS:" is the current memory of the process, "VmHWM:" its peak.
inline std::size_t process_memory(int pid, std::string_view line) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    std::string word;
    while (status >> word) {
        std::size_t kilobytes = 0;
        if (word == line && status >> kilobytes) return kilobytes * 1024;
    }
    return 0;
}

/// Resets the peak: from now on "VmHWM:" counts from here.
inline void forget_peak(int pid) {
    std::ofstream("/proc/" + std::to_string(pid) + "/clear_refs") << "5";
}

}  // namespace gantry::testing
