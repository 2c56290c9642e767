#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support/raw_server.hpp"

namespace gantry::testing {

/// The configuration entry of `gantry_bad_peer` in a given mode; with a mark, its process can be found.
std::string bad_child(const std::string& name, const std::string& mode, const std::string& more = {},
                      const std::string& mark = {});
/// Bytes that the process with this mark has written so far, standard error included; 0: there is no such process.
std::size_t written_by(const std::string& mark);

/// A server whose stream for unsolicited messages sends requests endlessly, and which never processes the answers.
/// Speaks Streamable HTTP, or HTTP+SSE for a client that opens /sse.
class FloodingServer {
public:
    FloodingServer();
    ~FloodingServer();

    std::string streamable_entry(const std::string& name) const;
    std::string sse_entry(const std::string& name) const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    std::unique_ptr<RawServer> server_;
};

}  // namespace gantry::testing
