#include "mcp/protocol/meta.hpp"

#include <algorithm>
#include <array>

#include "base/try.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/message.hpp"

namespace gantry::mcp {
namespace {

constexpr std::array kEnvelope = {meta_key::kProtocolVersion, meta_key::kClientCapabilities, meta_key::kClientInfo,
                                  meta_key::kServerInfo,      meta_key::kLogLevel,           meta_key::kSubscriptionId};

std::unexpected<Error> bad_key(std::string_view key, std::string_view complaint) {
    return fail(ErrorCode::kProtocol, "_meta: " + std::string(key).append(" ").append(complaint));
}

const Json* meta_of(const Json& params) noexcept {
    const Json* meta = params.find("_meta");
    return meta != nullptr && meta->is_object() ? meta : nullptr;
}

bool is_alnum(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_label(std::string_view label) noexcept {
    if (label.empty() || !is_alnum(label.front()) || (label.front() >= '0' && label.front() <= '9')) return false;
    return is_alnum(label.back()) && std::ranges::all_of(label, [](char c) { return is_alnum(c) || c == '-'; });
}

/// Splits off the text before the first `mark` of `rest`; all of it if there is none.
std::string_view cut(std::string_view& rest, char mark) noexcept {
    const std::size_t end = rest.find(mark);
    const std::string_view part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return part;
}

Json* put_meta(Json& params) {
    if (!params.is_object()) params = JsonObject{};
    JsonObject& object = *params.if_object();
    Json* meta = object.find("_meta");
    if (meta == nullptr || !meta->is_object()) {
        object.set("_meta", JsonObject{});
        meta = object.find("_meta");
    }
    return meta;
}

}  // namespace

void stamp_meta(Json& params, Revision revision, const RequestMeta& meta) {
    if (!is_modern(revision) && !meta.progress_token && meta_of(params) == nullptr) return;
    JsonObject& out = *put_meta(params)->if_object();
    strip_envelope(out);
    out.erase(meta_key::kProgressToken);
    if (meta.progress_token) out.set(std::string(meta_key::kProgressToken), to_json(*meta.progress_token));
    if (!is_modern(revision)) {
        if (out.empty()) params.if_object()->erase("_meta");
        return;
    }
    out.erase(meta_key::kRelatedTask);
    out.set(std::string(meta_key::kProtocolVersion), to_string(revision));
    out.set(std::string(meta_key::kClientCapabilities), encode(meta.capabilities, revision));
    if (meta.client_info) out.set(std::string(meta_key::kClientInfo), encode(*meta.client_info, revision));
    if (meta.log_level) out.set(std::string(meta_key::kLogLevel), to_string(*meta.log_level));
}

bool claims_modern(const Json& params) noexcept {
    const Json* meta = meta_of(params);
    return meta != nullptr && meta->find(meta_key::kProtocolVersion) != nullptr;
}

Result<ReceivedMeta> read_meta(const Json& params) {
    static const Json kNoMeta = JsonObject{};
    const Json* given = meta_of(params);
    const Json& meta = given != nullptr ? *given : kNoMeta;
    ReceivedMeta out;

    const Json* version = meta.find(meta_key::kProtocolVersion);
    if (version == nullptr) return bad_key(meta_key::kProtocolVersion, "is missing");
    if (!version->is_string()) return bad_key(meta_key::kProtocolVersion, "is not text");
    out.protocol_version = *version->if_string();

    const Json* capabilities = meta.find(meta_key::kClientCapabilities);
    if (capabilities == nullptr) return bad_key(meta_key::kClientCapabilities, "is missing");
    if (!capabilities->is_object()) return bad_key(meta_key::kClientCapabilities, "is not an object");
    auto read = decode<ClientCapabilities>(*capabilities, kLatestRevision);
    if (!read) return fail(read.error().within(meta_key::kClientCapabilities));
    out.capabilities = *std::move(read);

    if (const Json* info = meta.find(meta_key::kClientInfo)) {
        auto who = decode<Implementation>(*info, kLatestRevision);
        if (!who || !info->is_object()) return bad_key(meta_key::kClientInfo, "is not an implementation");
        out.client_info = *std::move(who);
    }
    if (const Json* level = meta.find(meta_key::kLogLevel)) {
        out.log_level = level->is_string() ? parse_log_level(*level->if_string()) : std::nullopt;
        if (!out.log_level) return bad_key(meta_key::kLogLevel, "is not a log level");
    }
    if (const Json* token = meta.find(meta_key::kProgressToken)) {
        out.progress_token = parse_request_id(*token);
        if (!out.progress_token) return bad_key(meta_key::kProgressToken, "is neither text nor an integer");
    }
    return out;
}

std::optional<Implementation> read_server_info(const JsonObject& meta) {
    const Json* info = meta.find(meta_key::kServerInfo);
    if (info == nullptr || !info->is_object()) return {};
    auto who = decode<Implementation>(*info, kLatestRevision);
    return who ? std::optional(*std::move(who)) : std::nullopt;
}

void stamp_server_info(JsonObject& meta, const Implementation& self) {
    meta.set(std::string(meta_key::kServerInfo), encode(self, kLatestRevision));
}

std::optional<RequestId> read_subscription_id(const JsonObject& meta) {
    const Json* id = meta.find(meta_key::kSubscriptionId);
    return id != nullptr ? parse_request_id(*id) : std::nullopt;
}

std::optional<RequestId> read_subscription_id(const Json& params_or_result) {
    const Json* meta = meta_of(params_or_result);
    return meta != nullptr ? read_subscription_id(*meta->if_object()) : std::nullopt;
}

std::optional<std::string> read_related_task(const JsonObject& meta) {
    const Json* task = meta.find(meta_key::kRelatedTask);
    const Json* id = task != nullptr ? task->find("taskId") : nullptr;
    if (id == nullptr || !id->is_string()) return {};
    return *id->if_string();
}

void stamp_related_task(JsonObject& meta, std::string_view task_id) {
    meta.set(std::string(meta_key::kRelatedTask), JsonObject{{"taskId", Json(task_id)}});
}

void strip_envelope(JsonObject& meta) {
    for (const std::string_view key : kEnvelope) meta.erase(key);
}

bool is_valid_meta_key(std::string_view key) noexcept {
    std::string_view name = key;
    if (const std::size_t slash = key.find('/'); slash != std::string_view::npos) {
        std::string_view prefix = key.substr(0, slash);
        name = key.substr(slash + 1);
        if (prefix.empty() || prefix.back() == '.') return false;
        while (!prefix.empty()) {
            if (!is_label(cut(prefix, '.'))) return false;
        }
    }
    if (name.empty()) return true;
    return is_alnum(name.front()) && is_alnum(name.back()) &&
           std::ranges::all_of(name, [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_reserved_meta_key(std::string_view key) noexcept {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) return false;
    std::string_view prefix = key.substr(0, slash);
    cut(prefix, '.');
    const std::string_view second = cut(prefix, '.');
    return second == "modelcontextprotocol" || second == "mcp";
}

}  // namespace gantry::mcp
