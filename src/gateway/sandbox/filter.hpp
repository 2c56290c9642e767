#pragma once

#include <string>

namespace gantry::gateway::sandbox {

/// A seccomp program that refuses system calls no tool server has a use for: modules, kexec, BPF, keyrings, clocks,
/// swap, raw sockets, io_uring, typing into a terminal. Strict also refuses namespaces, mounts, tracing and reading
/// other processes' memory. Refused calls fail with EPERM or ENOSYS, so that programs can go on without. Empty on
/// processors it does not know.
std::string system_call_filter(bool strict);

}  // namespace gantry::gateway::sandbox
