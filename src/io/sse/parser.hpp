#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::sse {

/// One dispatched server-sent event. `type` is empty when the stream did not name one ("message").
struct Event {
    std::string type;
    std::string data;
    /// The id in force when it was dispatched, and whether this event itself set it.
    std::optional<std::string> id;
    /// Set when this block carried a valid `retry:` line.
    std::optional<std::chrono::milliseconds> retry;
    /// False for a block without any `data` line (a priming event with only id or retry has data == "").
    bool has_data = false;
};

/// Turns bytes into events, whatever the chunk boundaries: CR, LF, CRLF (also split), comments,
/// multi-line data, empty data, BOM. Feed, then take events until empty.
class Parser {
public:
    explicit Parser(std::size_t max_event_bytes = 64u << 20) : max_event_bytes_(max_event_bytes) {}

    /// kLimit when an event outgrows the limit; the parser is then finished.
    Result<void> feed(std::string_view bytes);
    /// The next complete event. Blocks with only comments are never returned; blocks with only id or
    /// retry are, because they carry resumption state.
    std::optional<Event> next();

    const std::string& last_event_id() const noexcept;

private:
    std::size_t max_event_bytes_;
};

/// The wire form of one event. Newlines in `data` become several data lines; `type`, `id` must not hold CR or LF.
void append_event(std::string& out, std::string_view type, std::string_view data,
                  std::optional<std::string_view> id = std::nullopt,
                  std::optional<std::chrono::milliseconds> retry = std::nullopt);
void append_comment(std::string& out, std::string_view text);

}  // namespace gantry::sse
