#pragma once

#include <memory>
#include <string>

#include "io/loop.hpp"
#include "mcp/client/open.hpp"
#include "transcripts/lines.hpp"

namespace gantry::mcp::testing {

/// Long enough for a slow machine; a transcript that needs it has hung.
inline Context watchdog() {
    return Context::background().within(seconds(60));
}

/// The server's end of a real transport, played line by line. A line that cannot be played fails the test and is false.
class PlayedServer {
public:
    virtual ~PlayedServer() = default;

    /// How the client gets here.
    virtual Route route() = 0;
    /// The client must send this next.
    virtual Task<bool> expect(const Line& line) = 0;
    virtual Task<bool> say(const Line& line) = 0;
    /// After the client is closed. Complains about what the client sent and the transcript does not have.
    virtual Task<void> end(bool complain) = 0;
};

/// A child process whose pipes come out here.
std::unique_ptr<PlayedServer> played_over_stdio();
std::unique_ptr<PlayedServer> played_over_streamable_http();
std::unique_ptr<PlayedServer> played_over_http_sse();

}  // namespace gantry::mcp::testing
