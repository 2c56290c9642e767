#include "mcp/server/event_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gantry::mcp {
namespace {

template <class Number>
bool take_number(std::string_view& text, Number& value, int base) noexcept {
    if (text.empty() || text.front() == '-') return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

bool take_dash(std::string_view& text) noexcept {
    if (!text.starts_with('-')) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

std::string EventId::to_string() const {
    std::array<char, 64> text;
    char* const end = text.data() + text.size();
    char* at = std::to_chars(text.data(), end, epoch, 16).ptr;
    *at++ = '-';
    at = std::to_chars(at, end, stream).ptr;
    *at++ = '-';
    at = std::to_chars(at, end, place).ptr;
    return {text.data(), at};
}

std::optional<EventId> EventId::parse(std::string_view text) noexcept {
    EventId id;
    const bool good = take_number(text, id.epoch, 16) && take_dash(text) && take_number(text, id.stream, 10) &&
                      take_dash(text) && take_number(text, id.place, 10) && text.empty();
    return good ? std::optional(id) : std::nullopt;
}

void EventLog::pop() {
    bytes_ -= entries_.front().message.size();
    entries_.pop_front();
}

void EventLog::add(const Limits& limits, std::uint64_t stream, std::uint64_t place, std::string message) {
    if (message.size() > limits.bytes || limits.events == 0) return;
    bytes_ += message.size();
    entries_.push_back({stream, place, SteadyClock::now(), std::move(message)});
    while (entries_.size() > limits.events || bytes_ > limits.bytes) pop();
}

bool EventLog::says(std::uint64_t stream, std::uint64_t place, std::string_view message) const noexcept {
    return std::ranges::any_of(entries_, [&](const Entry& entry) {
        return entry.stream == stream && entry.place > place && entry.message == message;
    });
}

void EventLog::forget_before(TimePoint time) {
    while (!entries_.empty() && entries_.front().at < time) pop();
    if (entries_.empty()) entries_.shrink_to_fit();
}

}  // namespace gantry::mcp
