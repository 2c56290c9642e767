#pragma once
// A gateway with a server of large results behind it, and a client that counts bytes instead of keeping them.

#include <functional>
#include <memory>
#include <string>

#include "gateway/rig.hpp"

namespace gantry::testing {

/// What came back of one request.
struct Download {
    int status = 0;
    bool events = false;      // an event stream
    bool complete = false;    // the response ended as responses end
    std::size_t body = 0;     // bytes of it, framing not counted
    std::size_t filling = 0;  // those of them that are the upstream's filling
    std::string begin;        // the first and the last of it
    std::string end;

    /// A whole result with that much in it, as a whole answer.
    bool has(std::size_t result_bytes) const;
};

/// Who asks.
struct Caller {
    bool modern = true;
    bool progress = false;
    std::string session = {};  // legacy; see open_session()
};

/// Speaks to the gateway over a socket of its own.
Download post(int port, const Caller& caller, const std::string& body, const std::string& name = {},
              const std::function<void(std::size_t so_far)>& pace = {});
std::string call_large(const Caller& caller, std::size_t bytes, const std::string& how = "whole");
/// initialize and initialized; the session's id.
std::string open_session(int port);

/// What a process has in memory, and the most it had since forget_peak().
std::size_t resident(int pid);
std::size_t peak(int pid);
void forget_peak(int pid);

/// The server of large results as the gateway reaches it: "json", "chunked", "events", "sse" or "stdio".
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
