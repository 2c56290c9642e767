#include "gateway/events/process_stats.hpp"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

namespace gantry::gateway::events {
namespace {

double count_open_files() {
    DIR* folder = ::opendir("/proc/self/fd");
    if (folder == nullptr) return 0;
    int count = 0;
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count - 3;  // without ".", ".." and the directory's own descriptor
}

double boot_seconds() {
    std::ifstream in("/proc/stat");
    for (std::string word; in >> word;) {
        double seconds = 0;
        if (word == "btime" && in >> seconds) return seconds;
    }
    return 0;
}

}  // namespace

ProcessStats read_process_stats() {
    ProcessStats stats;
    rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) == 0) {
        stats.cpu_seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                            static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    }
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) stats.max_files = static_cast<double>(limit.rlim_cur);
    stats.open_files = count_open_files();

    std::ifstream in("/proc/self/stat");
    std::string line;
    std::getline(in, line);
    // The second field is a name in parentheses with arbitrary content; counting resumes after it, with the third.
    const auto bracket = line.rfind(')');
    if (bracket == std::string::npos) return stats;
    std::istringstream rest(line.substr(bracket + 1));
    std::string skipped;
    double threads = 0, start_ticks = 0, virtual_bytes = 0, pages = 0;
    for (int field = 3; field < 20; ++field) rest >> skipped;
    rest >> threads >> skipped >> start_ticks >> virtual_bytes >> pages;
    stats.threads = threads;
    stats.virtual_bytes = virtual_bytes;
    stats.resident_bytes = pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
    stats.start_seconds = boot_seconds() + start_ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
    return stats;
}

}  // namespace gantry::gateway::events
