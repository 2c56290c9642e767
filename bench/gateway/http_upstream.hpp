#pragma once

#include "answers.hpp"

namespace bench {

/// Serves HTTP/1.1 on loopback until killed, one thread, bare epoll. Prints the port once it listens. SIGUSR1 changes
/// the catalog and tells every listen stream. `events`: every answer comes as an event stream.
int serve_http(Answers answers, int port, bool events);

}  // namespace bench
