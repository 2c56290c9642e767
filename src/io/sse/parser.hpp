#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::sse {

/// One dispatched server-sent event. `type` is empty if the stream did not name one ("message").
/// Bytes are passed on as received; UTF-8 is not validated here.
struct Event {
    std::string type;
    std::string data;
    /// Set if this event itself had an id, which is then the current one; "" resets it.
    std::optional<std::string> id;
    /// Set if this block had a valid `retry:` line. Capped at a day.
    std::optional<std::chrono::milliseconds> retry;
    /// False for a block without any `data` line (a priming event with only id or retry has data == "").
    bool has_data = false;
    /// More data of the same event follows in the next one; only with hand_out_beyond().
    bool partial = false;

    friend bool operator==(const Event&, const Event&) = default;
};

/// Incremental parser, whatever the chunk boundaries: CR, LF, CRLF (also split), comments,
/// multi-line data, empty data, BOM. Feed, then take events until empty.
class Parser {
public:
    explicit Parser(std::size_t max_event_bytes = 64u << 20) : max_event_bytes_(max_event_bytes) {}

    /// From now on an event whose data exceeds `bytes` is returned as it arrives: events with `partial` set, then a
    /// last one without, which has the block's other fields. The limit does not count data returned that way.
    void hand_out_beyond(std::size_t bytes) noexcept { hold_bytes_ = bytes; }

    /// kLimit if an event exceeds the limit; the parser is then finished, but events completed
    /// before it can still be taken.
    Result<void> feed(std::string_view bytes);
    /// The next complete event, or a part of a large one. Blocks with only comments are never returned; blocks with
    /// only id or retry are, because they carry resumption state.
    std::optional<Event> next();

    /// The id after the last event taken with next(): resuming from there loses nothing.
    const std::string& last_event_id() const noexcept { return last_id_; }

private:
    // Kind of the current line. Data lines, the only large ones, go directly into the event.
    enum class Line : std::uint8_t { kUnknown, kData, kComment, kField };

    void append(std::string_view part);
    void append_data(std::string_view part);
    std::optional<Event> take_part();
    void begin_data(std::string_view value);
    void end_line();
    void end_field();
    void end_block();
    bool too_large() const noexcept;

    static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

    std::size_t max_event_bytes_;
    std::size_t hold_bytes_ = kNever;
    bool handing_out_ = false;  // the current event is returned in parts
    Line kind_ = Line::kUnknown;
    bool first_line_ = true;
    bool after_cr_ = false;
    bool finished_ = false;
    std::string line_;
    Event event_;
    std::deque<Event> ready_;
    std::string last_id_;
};

/// The wire form of one event. Newlines in `data` become several data lines; CR, LF and NUL in `type` or
/// `id` are removed, so that no value can inject a line.
void append_event(std::string& out, std::string_view type, std::string_view data,
                  std::optional<std::string_view> id = std::nullopt,
                  std::optional<std::chrono::milliseconds> retry = std::nullopt);
/// A line that readers ignore, to keep an idle stream alive.
void append_comment(std::string& out, std::string_view text);

}  // namespace gantry::sse
