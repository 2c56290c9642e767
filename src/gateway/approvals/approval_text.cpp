#include "gateway/approvals/approval_text.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "gantry/json.hpp"

namespace gantry::gateway {
namespace {

constexpr std::size_t kLongestId = 64;

std::string_view word_of(ApprovalState state) noexcept {
    switch (state) {
        case ApprovalState::kPending: return "pending";
        case ApprovalState::kApproved: return "approved";
        case ApprovalState::kRejected: return "rejected";
    }
    return {};
}

std::optional<std::int64_t> number_at(const Json& json, std::string_view key) {
    const Json* found = json.find(key);
    return found == nullptr ? std::nullopt : found->as_int();
}

Result<StoredApproval> from_json(const Json& json) {
    const auto text = [&json](std::string_view key) { return std::string(json.string_at(key)); };
    StoredApproval stored{.approval = {.id = text("id"),
                                       .source = text("server"),
                                       .tool = text("tool"),
                                       .principal = text("principal"),
                                       .request_id = text("requestId"),
                                       .arguments = text("arguments"),
                                       .descriptor = text("descriptor"),
                                       .digest = text("digest")},
                          .reason = text("reason")};
    const auto asked_ms = number_at(json, "askedMs");
    const auto expires_ms = number_at(json, "expiresMs");
    const std::string state = text("state");
    if (state == "approved") stored.state = ApprovalState::kApproved;
    if (state == "rejected") stored.state = ApprovalState::kRejected;
    if (!is_approval_id(stored.approval.id) || stored.approval.digest.empty() || !asked_ms || !expires_ms ||
        word_of(stored.state) != state)
        return fail(ErrorCode::kParse, "an entry is damaged");
    stored.approval.asked_ms = *asked_ms;
    stored.approval.expires_ms = *expires_ms;
    return stored;
}

}  // namespace

bool is_approval_id(std::string_view id) noexcept {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    return !id.empty() && id.size() <= kLongestId && std::ranges::all_of(id, plain);
}

std::string to_text(const StoredApproval& stored) {
    const PendingApproval& a = stored.approval;
    return Json(JsonObject{{"version", 2},
                           {"id", a.id},
                           {"state", word_of(stored.state)},
                           {"reason", stored.reason},
                           {"server", a.source},
                           {"tool", a.tool},
                           {"principal", a.principal},
                           {"requestId", a.request_id},
                           {"arguments", a.arguments},
                           {"descriptor", a.descriptor},
                           {"digest", a.digest},
                           {"askedMs", a.asked_ms},
                           {"expiresMs", a.expires_ms}})
        .dump();
}

Result<StoredApproval> approval_from(std::string_view text) {
    GANTRY_TRY(const Json json, Json::parse(text));
    return from_json(json);
}

Result<std::vector<StoredApproval>> old_approvals_from(std::string_view text) {
    GANTRY_TRY(const Json json, Json::parse(text));
    const Json* entries = json.find("approvals");
    if (entries == nullptr || !entries->is_array()) return fail(ErrorCode::kParse, "there is no list of approvals");
    std::vector<StoredApproval> all;
    for (const Json& entry : *entries->if_array()) {
        GANTRY_TRY(auto stored, from_json(entry));
        all.push_back(std::move(stored));
    }
    return all;
}

}  // namespace gantry::gateway
