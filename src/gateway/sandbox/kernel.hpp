#pragma once

#include <string>
#include <vector>

namespace gantry::gateway::sandbox {

/// One isolation feature and its availability on this machine.
struct Offer {
    std::string name;
    bool available = false;
    /// What is missing and how to fix it, or a detail such as a version.
    std::string why;
};

/// The features of this kernel that we may use, determined by trying them.
struct Kernel {
    Offer namespaces;  // own processes, mounts and /proc
    Offer network;     // own network namespace
    Offer landlock;    // file access rules
    Offer filter;      // system call filter
    Offer limits;      // delegated cgroup v2
    int landlock_version = 0;
    bool counts_tasks = false;   // per user namespace, since Linux 5.14
    bool marks_sockets = false;  // can create sockets for other processes, since Linux 5.14

    std::vector<Offer> all() const { return {namespaces, network, landlock, filter, limits}; }
};

/// Determined once per process; the first call takes a few milliseconds.
const Kernel& kernel();

/// For `gantry doctor`: one line per feature.
inline std::vector<Offer> capabilities() {
    return kernel().all();
}

}  // namespace gantry::gateway::sandbox
