#include "surface/mcp/correlation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace gantry::surface {
namespace {

/// Longer than any usual form: a UUID has 36, a trace id 32.
constexpr std::size_t kLongest = 128;

/// It becomes part of log lines, records and header fields, so it must not contain anything with a meaning there.
bool is_usable(std::string_view id) noexcept {
    static constexpr std::string_view kMarks = "-_.:/+=@";
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kMarks.contains(c);
    };
    return !id.empty() && id.size() <= kLongest && std::ranges::all_of(id, fits);
}

/// Short, so that it needs no allocation, and distinct from the ids of other runs.
std::string next_correlation_id() {
    static const auto run = static_cast<std::uint32_t>(std::chrono::system_clock::now().time_since_epoch().count());
    static std::uint32_t count = 0;
    constexpr char kDigits[] = "0123456789abcdef";
    std::string id(15, '-');
    for (int i = 0; i < 6; ++i) id[static_cast<std::size_t>(i)] = kDigits[(run >> (4 * i)) & 15];
    const std::uint32_t number = ++count;
    for (int i = 0; i < 8; ++i) id[static_cast<std::size_t>(14 - i)] = kDigits[(number >> (4 * i)) & 15];
    return id;
}

}  // namespace

std::string correlation_id_of(const mcp::Call& call) {
    if (const json::Span& sent = call.view.in_params.in_meta.correlation_id) {
        if (const auto id = sent.plain_text(); id && is_usable(*id)) return std::string(*id);
    }
    if (call.headers != nullptr) {
        for (const auto field : {http::FieldName::kXCorrelationId, http::FieldName::kXRequestId})
            if (const auto id = call.headers->get(field); id && is_usable(*id)) return std::string(*id);
    }
    return next_correlation_id();
}

}  // namespace gantry::surface
