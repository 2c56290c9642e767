#pragma once
// Test support: a gateway in front of a server of large results, and a client that counts bytes without keeping them.

#include <functional>
#include <memory>
#include <string>

#include "gateway/rig.hpp"

namespace gantry::testing {

/// The response to one request.
struct Download {
    int status = 0;
    bool events = false;      // an event stream
    bool complete = false;    // the response ended properly
    std::size_t body = 0;     // its bytes without framing
    std::size_t filling = 0;  // the part of them that is the upstream's filling
    std::string begin;        // its first and last bytes
    std::string end;

    /// Whether it is a complete result with that much filling.
    bool has(std::size_t result_bytes) const;
};

/// The kind of client that sends a request.
struct Caller {
    bool modern = true;
    bool progress = false;
    std::string session = {};  // legacy; see open_session()
};

/// Sends a request to the gateway on its own socket.
Download post(int port, const Caller& caller, const std::string& body, const std::string& name = {},
              const std::function<void(std::size_t so_far)>& pace = {});
std::string call_large(const Caller& caller, std::size_t bytes, const std::string& how = "whole");
/// Performs initialize and initialized; returns the session's id.
std::string open_session(int port);

/// Memory of a process, and its peak since forget_peak().
std::size_t resident(int pid);
std::size_t peak(int pid);
void forget_peak(int pid);

/// The server of large results, by how the gateway reaches it: "json", "chunked", "events", "sse" or "stdio".
class LargeUpstream {
public:
    LargeUpstream(const std::string& form, bool modern);
    /// The entry of the gateway's configuration, under the name "up".
    const std::string& entry() const noexcept { return entry_; }

private:
    std::unique_ptr<Child> child_;
    std::string entry_;
};

}  // namespace gantry::testing
