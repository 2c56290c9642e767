#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace gantry::mcp {

/// Identifies an event: its stream, and its position among the session's events. `epoch` is unique to this process
/// instance, so that ids from before a restart are not mistaken for current ones.
struct EventId {
    std::uint32_t epoch = 0;
    std::uint64_t stream = 0;
    std::uint64_t place = 0;

    std::string to_string() const;
    static std::optional<EventId> parse(std::string_view text) noexcept;
    bool operator==(const EventId&) const = default;
};

/// The most recent messages of one session, for resumption with Last-Event-ID. The oldest are evicted first.
class EventLog {
public:
    struct Limits {
        std::size_t events = 256;
        std::size_t bytes = 256u << 10;
    };
    struct Entry {
        std::uint64_t stream;
        std::uint64_t place;
        TimePoint at;
        std::string message;
    };

    /// A message larger than the whole log is not kept.
    void add(const Limits& limits, std::uint64_t stream, std::uint64_t place, std::string message);
    /// Whether the log has `message` on `stream` after `place`; used to avoid repeating notices.
    bool says(std::uint64_t stream, std::uint64_t place, std::string_view message) const noexcept;
    /// Calls `use` for each message of `stream` after `place`, in order.
    template <class Use>
    void replay(std::uint64_t stream, std::uint64_t place, Use use) const {
        for (const Entry& entry : entries_) {
            if (entry.stream == stream && entry.place > place) use(entry);
        }
    }
    /// Drops entries older than `time`.
    void forget_before(TimePoint time);
    bool empty() const noexcept { return entries_.empty(); }
    std::size_t bytes() const noexcept { return bytes_; }
    std::size_t size() const noexcept { return entries_.size(); }

private:
    void pop();

    std::deque<Entry> entries_;
    std::size_t bytes_ = 0;
};

}  // namespace gantry::mcp
