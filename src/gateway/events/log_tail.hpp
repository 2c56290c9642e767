#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "gateway/events/event_stream.hpp"
#include "gateway/events/options.hpp"

namespace gantry::gateway::events {

struct LogTailOptions {
    /// The gateway's own lines.
    std::size_t own_bytes = 1u << 20;
    /// Standard error of one server, and of all servers together.
    std::size_t server_bytes = 128u << 10;
    std::size_t servers_bytes = 4u << 20;
    std::size_t max_servers = 256;
    /// Rate limit for lines kept of one server's standard error: lines per second and burst.
    double lines_per_second = 50;
    double burst = 500;
    /// Concurrent readers, and the queue bounds of each.
    std::size_t max_readers = 16;
    std::size_t max_pending = 4096;
    std::size_t max_pending_bytes = 2u << 20;
};

/// The latest lines of the log, for clients of the running gateway, and new lines as they arrive. Bounded in bytes: the
/// gateway's own lines and each server's standard error have separate buffers, so a noisy server evicts its own lines
/// first. Belongs to one loop; lines arrive here already redacted.
class LogTail {
public:
    /// A line as JSON, without its line ending.
    using Text = std::shared_ptr<const std::string>;
    struct Wanted {
        std::size_t last = 100;
        LogLevel level = LogLevel::kInfo;
        /// Only lines of this server or about it; empty: all.
        std::string server = {};
        /// Continue with new lines.
        bool follow = false;
    };

    explicit LogTail(LogTailOptions options = {}) : options_(options) {}

    /// Adds a line of the gateway's; `server` is the one it is about.
    void add(LogLevel level, std::string_view server, std::string_view json);
    /// Whether the rate limit admits a line of this server's standard error now; rejected lines are counted. Call it
    /// before formatting the line, since a server may write thousands of them.
    bool admits(std::string_view server, TimePoint now);
    void add_from(std::string_view server, std::string_view json);
    /// Sets the function that formats the notice of how many lines of a server were dropped, at level warning.
    void tell_left_out(std::function<std::string(std::string_view server, std::uint64_t count)> line) {
        left_out_line_ = std::move(line);
    }

    /// The latest lines, oldest first.
    std::vector<Text> last(const Wanted& wanted);
    /// Sends the latest lines as server-sent events, then follows if requested. A reader that is too slow learns how
    /// many lines it missed (`event: gantry.logs.missed`).
    Task<void> serve(const Context& ctx, http::Exchange& exchange, Wanted wanted);
    /// Disconnects all readers.
    void hang_up();

    std::size_t bytes() const noexcept { return own_.bytes + servers_bytes_; }
    std::size_t readers() const noexcept { return readers_.size(); }

private:
    struct Line {
        std::uint64_t number = 0;
        LogLevel level = LogLevel::kInfo;
        std::string server = {};
        Text json = {};
    };
    struct ServerLines {
        std::deque<Line> lines = {};
        std::size_t bytes = 0;
        double places = 0;  // tokens left of the burst
        TimePoint counted{};
        std::uint64_t left_out = 0;
    };
    struct Reader {
        Wanted wanted;
        PushedEvents events;
    };
    using LinesByServer = std::map<std::string, ServerLines, std::less<>>;

    static std::size_t size_of(const Line& line) noexcept;
    static std::size_t drop_first(ServerLines& lines);
    static bool wants(const Wanted& wanted, const Line& line) noexcept;
    Line line_of(LogLevel level, std::string_view server, std::string_view json);
    ServerLines& lines_of(std::string_view server);
    void put(ServerLines& lines, Line line);
    void tell(ServerLines& lines, std::string_view server);
    void pass_on(const Line& line);

    LogTailOptions options_;
    ServerLines own_;
    LinesByServer servers_;
    std::size_t servers_bytes_ = 0;
    std::uint64_t count_ = 0;
    std::set<Reader*> readers_;
    bool closed_ = false;
    std::function<std::string(std::string_view, std::uint64_t)> left_out_line_;
};

}  // namespace gantry::gateway::events
