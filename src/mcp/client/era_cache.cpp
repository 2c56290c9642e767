#include "mcp/client/era_cache.hpp"

#include <algorithm>

#include "gantry/json.hpp"

namespace gantry::mcp {

namespace {

/// A verdict confirmed within this time is not written again.
constexpr auto kWorthWriting = std::chrono::hours(1);

}  // namespace

/// A date in the future is as useless as an expired one: the clock was changed.
bool EraCache::counts(const Verdict& verdict) const {
    const auto age = now_() - verdict.at;
    return age >= Clock::duration::zero() && age < kFresh;
}

void EraCache::keep(const std::string& server, Verdict verdict) {
    if (!verdicts_.contains(server) && verdicts_.size() >= kMaxKept) {
        verdicts_.erase(std::ranges::min_element(verdicts_, {}, [](const auto& entry) { return entry.second.at; }));
    }
    verdicts_.insert_or_assign(server, verdict);
}

std::optional<Revision> EraCache::find(const std::string& server) const {
    const auto found = verdicts_.find(server);
    if (found == verdicts_.end() || !counts(found->second)) return std::nullopt;
    return found->second.revision;
}

void EraCache::remember(const std::string& server, Revision revision) {
    const auto known = verdicts_.find(server);
    const bool news = known == verdicts_.end() || known->second.revision != revision || !counts(known->second) ||
                      now_() - known->second.at >= kWorthWriting;
    forgotten_.erase(server);
    if (!news) return;
    keep(server, {revision, now_()});
    changed_ = true;
}

void EraCache::forget(const std::string& server) {
    if (verdicts_.erase(server) == 0) return;
    if (forgotten_.size() < kMaxKept) forgotten_.insert(server);
    changed_ = true;
}

std::string EraCache::text() const {
    JsonObject servers;
    for (const auto& [server, verdict] : verdicts_) {
        if (!counts(verdict)) continue;
        const auto at = std::chrono::duration_cast<std::chrono::seconds>(verdict.at.time_since_epoch()).count();
        servers.set(server,
                    JsonObject{{"revision", to_string(verdict.revision)}, {"at", static_cast<std::int64_t>(at)}});
    }
    return Json(JsonObject{{"version", 1}, {"servers", std::move(servers)}}).dump();
}

void EraCache::merge(std::string_view text) {
    const auto json = Json::parse(text);
    if (!json) return;
    const Json* version = json->find("version");
    const Json* servers = json->find("servers");
    if (version == nullptr || version->as_int() != 1 || servers == nullptr || !servers->is_object()) return;
    for (const auto& [server, entry] : *servers->if_object()) {
        const Json* revision = entry.find("revision");
        const Json* at = entry.find("at");
        const auto seconds = at != nullptr ? at->as_int() : std::nullopt;
        if (revision == nullptr || !revision->is_string() || !seconds) continue;
        const auto known = parse_revision(*revision->if_string());
        // A later date overflows the clock.
        if (!known || *seconds < 0 || *seconds > 4'000'000'000) continue;
        const Verdict verdict{*known, Clock::time_point(std::chrono::seconds(*seconds))};
        const auto mine = verdicts_.find(server);
        if (!counts(verdict) || forgotten_.contains(server)) continue;
        if (mine == verdicts_.end() || !counts(mine->second) || mine->second.at < verdict.at) keep(server, verdict);
    }
}

void EraCache::merge(const EraCache& later) {
    for (const std::string& server : later.forgotten_) verdicts_.erase(server);
    for (const auto& [server, verdict] : later.verdicts_) {
        const auto mine = verdicts_.find(server);
        if (mine == verdicts_.end() || mine->second.at < verdict.at) keep(server, verdict);
    }
}

}  // namespace gantry::mcp
