#pragma once

namespace gantry::gateway::events {

/// Resource usage of this process as reported by the kernel; 0 where it reports nothing.
struct ProcessStats {
    double cpu_seconds = 0;
    double resident_bytes = 0;
    double virtual_bytes = 0;
    double open_files = 0;
    double max_files = 0;
    double start_seconds = 0;
    double threads = 0;
};

ProcessStats read_process_stats();

}  // namespace gantry::gateway::events
