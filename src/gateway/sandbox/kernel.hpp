#pragma once

#include <string>
#include <vector>

namespace gantry::gateway::sandbox {

/// One part of isolation and whether this machine has it.
struct Offer {
    std::string name;
    bool available = false;
    /// What is missing and what to do about it, or a detail such as a version.
    std::string why;
};

/// What this kernel lets us do, found out by doing it.
struct Kernel {
    Offer namespaces;  // processes, mounts and /proc of its own
    Offer network;     // a network of its own
    Offer landlock;    // rules on files
    Offer filter;      // on system calls
    Offer limits;      // cgroup v2, delegated to us
    int landlock_version = 0;
    bool counts_tasks = false;   // per user namespace, since Linux 5.14
    bool marks_sockets = false;  // lets us make them for others, since Linux 5.14

    std::vector<Offer> all() const { return {namespaces, network, landlock, filter, limits}; }
};

/// Asked once per process; the first call takes a few milliseconds.
const Kernel& kernel();

/// For `gantry doctor`: one line each.
inline std::vector<Offer> capabilities() {
    return kernel().all();
}

}  // namespace gantry::gateway::sandbox
