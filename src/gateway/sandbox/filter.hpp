#pragma once

#include <string>

namespace gantry::gateway::sandbox {

/// A seccomp program that refuses system calls no tool server needs: modules, kexec, BPF, keyrings, clocks, swap, raw
/// sockets, io_uring, new namespaces, injecting terminal input. Strict also refuses mounts, tracing and reading other
/// processes' memory. Refused calls fail with EPERM or ENOSYS, so that programs can continue without them. Empty on
/// unsupported processors.
std::string system_call_filter(bool strict);

/// A second program, for servers on the host's network: TCP sockets are created by the gateway, which marks them
/// (io/process/marked_sockets.hpp), and the mark cannot be removed.
std::string socket_marks_filter();

}  // namespace gantry::gateway::sandbox
