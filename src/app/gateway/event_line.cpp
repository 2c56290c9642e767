#include "app/gateway/event_line.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "base/terminal_text.hpp"
#include "gantry/json.hpp"
#include "gateway/policy/glob.hpp"
#include "gateway/ports/event_sink.hpp"

namespace gantry::app {
namespace {

constexpr std::size_t kTimeWidth = 19;
constexpr std::size_t kTypeWidth = 26;
constexpr std::size_t kSubjectWidth = 28;
/// Limits for one value, and for all of them.
constexpr std::size_t kLongestValue = 80;
constexpr std::size_t kLongestDetails = 400;

constexpr std::array kTypes = {gateway::event_type::kToolCalled,
                               gateway::event_type::kToolFailed,
                               gateway::event_type::kCallCompleted,
                               gateway::event_type::kCallFailed,
                               gateway::event_type::kAuthenticationFailed,
                               gateway::event_type::kSourceState,
                               gateway::event_type::kSourceInventory,
                               gateway::event_type::kCatalogChanged,
                               gateway::event_type::kCatalogTruncated,
                               gateway::event_type::kBreakerOpened,
                               gateway::event_type::kBreakerHalfOpened,
                               gateway::event_type::kBreakerClosed,
                               gateway::event_type::kApprovalRequested,
                               gateway::event_type::kApprovalAnswered,
                               gateway::event_type::kToolDescriptorFlagged,
                               gateway::event_type::kConfigurationApplied,
                               gateway::event_type::kConfigurationRefused,
                               gateway::event_type::kStarted,
                               gateway::event_type::kStopped,
                               gateway::event_type::kChainBroken,
                               gateway::event_type::kRecordsLost};

/// "gantry.tool.called.v1" is displayed as "tool.called".
std::string_view short_type(std::string_view type) {
    if (type.starts_with("gantry.")) type.remove_prefix(7);
    const std::size_t version = type.rfind(".v");
    return version == std::string_view::npos ? type : type.substr(0, version);
}

std::string padded(std::string text, std::size_t width) {
    const auto shown = static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    if (shown < width) text.append(width - shown, ' ');
    return text + "  ";
}

std::string local_time(const std::string& utc) {
    tm parts{};
    if (::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return terminal_excerpt(utc, kTimeWidth);
    const time_t at = ::timegm(&parts);
    ::localtime_r(&at, &parts);
    std::array<char, 40> text{};
    return {text.data(), ::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts)};
}

std::string details_of(const Json& event) {
    std::string out;
    const Json* const data = event.find("data");
    if (data == nullptr || !data->is_object()) return out;
    for (const auto& [key, value] : *data->if_object()) {
        if (value.is_null() || out.size() > kLongestDetails) continue;
        const std::string text = value.is_string() ? *value.if_string() : value.dump();
        if (text.empty()) continue;
        out.append(out.empty() ? "" : " ").append(terminal_excerpt(key, kLongestValue)).append("=");
        out.append(terminal_excerpt(text, kLongestValue));
    }
    return out;
}

}  // namespace

std::string event_line(std::string_view cloud_event) {
    const auto event = Json::parse(cloud_event);
    if (!event || !event->is_object()) return terminal_text(cloud_event, Lines::kJoined);
    return padded(local_time(std::string(event->string_at("time"))), kTimeWidth) +
           padded(terminal_excerpt(short_type(event->string_at("type")), kTypeWidth), kTypeWidth) +
           padded(terminal_excerpt(event->string_at("subject"), kSubjectWidth), kSubjectWidth) + details_of(*event);
}

std::string event_titles() {
    return padded("TIME", kTimeWidth) + padded("TYPE", kTypeWidth) + padded("SUBJECT", kSubjectWidth) + "DETAILS";
}

std::string known_event_types() {
    std::string out;
    for (const std::string_view type : kTypes) out.append(out.empty() ? "" : ", ").append(short_type(type));
    return out;
}

bool is_known_type(std::string_view patterns) {
    for (const auto range : std::views::split(patterns, ',')) {
        const std::string_view pattern(range.begin(), range.end());
        const bool known = std::ranges::any_of(kTypes, [pattern](std::string_view type) {
            return gateway::glob_match(pattern, type) || gateway::glob_match(pattern, short_type(type));
        });
        if (known) return true;
    }
    return false;
}

bool is_part_of_type(std::string_view text) {
    return std::ranges::any_of(kTypes, [text](std::string_view type) { return type.contains(text); });
}

}  // namespace gantry::app
