#include "gateway/events/cloud_event.hpp"

#include <time.h>

#include <array>
#include <cstdio>

#include "base/json/text.hpp"

namespace gantry::gateway::events {
namespace {

void member(std::string& out, std::string_view key, std::string_view text) {
    if (text.empty()) return;
    out.append(",\"").append(key).append("\":");
    json::quote_to(text, out);
}

}  // namespace

std::string timestamp(std::int64_t unix_micros) {
    const time_t seconds = unix_micros / 1'000'000;
    tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 40> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::snprintf(text.data() + size, text.size() - size, ".%06dZ", static_cast<int>(unix_micros % 1'000'000));
    return text.data();
}

void append_cloud_event(const JournalEntry& entry, std::string& out) {
    out.append(R"({"specversion":"1.0")");
    member(out, "id", entry.id);
    member(out, "source", "gantry");
    member(out, "type", entry.type);
    member(out, "time", timestamp(entry.at));
    member(out, "subject", entry.subject);
    member(out, "correlationid", entry.correlation);
    if (entry.seq != 0) member(out, "sequence", std::to_string(entry.seq));
    out.append(R"(,"datacontenttype":"application/json","data":)");
    out.append(entry.data.empty() ? std::string_view("{}") : entry.data).append("}");
}

}  // namespace gantry::gateway::events
