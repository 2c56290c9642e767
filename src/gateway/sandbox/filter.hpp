#pragma once

#include <string>

namespace gantry::gateway::sandbox {

/// A seccomp program that refuses system calls no tool server has a use for: modules, kexec, BPF, keyrings, clocks,
/// swap, raw sockets, io_uring, new namespaces, typing into a terminal. Strict also refuses mounts, tracing and reading
/// other processes' memory. Refused calls fail with EPERM or ENOSYS, so that programs can go on without. Empty on
/// processors it does not know.
std::string system_call_filter(bool strict);

/// A second program, for servers with the machine's network: TCP sockets are made by the gateway, which marks them
/// (io/process/marked_sockets.hpp), and the mark stays on.
std::string socket_marks_filter();

}  // namespace gantry::gateway::sandbox
