#pragma once

#include <optional>
#include <string_view>

#include "app/process/listen_address.hpp"
#include "gantry/error.hpp"
#include "io/fd.hpp"

namespace gantry::app {

/// A listening socket handed over by a service manager such as systemd, and the address it is bound to.
struct InheritedSocket {
    Fd socket;
    ListenAddress address;
};

/// Takes the socket announced by LISTEN_FDS and LISTEN_PID; empty when there is none, or when it was taken before.
/// kInvalidArgument when it is not a listening TCP socket, or when there are several.
Result<std::optional<InheritedSocket>> take_inherited_socket();

/// Reports "READY=1" or "STOPPING=1" to the manager that set NOTIFY_SOCKET. Best effort; no-op without one.
void notify_service_manager(std::string_view state) noexcept;

}  // namespace gantry::app
