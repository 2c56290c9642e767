#include "mcp/server/request_validation.hpp"

#include <algorithm>
#include <charconv>

#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/protocol/meta.hpp"

namespace gantry::mcp {
namespace {

std::unexpected<Rejection> reject(RpcError error, int status = 400) {
    return std::unexpected(Rejection{.status = status, .error = std::move(error)});
}

std::unexpected<Rejection> bad_meta(std::string_view key, std::string_view complaint) {
    return reject(invalid_params("_meta: " + std::string(key).append(" ").append(complaint)));
}

std::unexpected<Rejection> disagrees(std::string_view header, std::string_view complaint) {
    return reject(header_mismatch(std::string(header).append(" ").append(complaint)));
}

std::unexpected<Rejection> unsupported(std::string_view requested, Eras eras) {
    return reject(unsupported_version(requested.substr(0, 64), supported_revisions(eras)));
}

bool present(const json::Span& span) noexcept {
    return span && !span.is_null();
}

std::string text_or_empty(const json::Span& span) {
    auto text = span.text();
    return text ? *std::move(text) : std::string();
}

bool names_modern(const RequestHead::Field& version) noexcept {
    const auto revision = parse_revision(version.value);
    return version && revision && is_modern(*revision);
}

/// A claim valid enough to reject `initialize`.
bool claims_well(const json::MetaView& meta) {
    const auto revision = parse_revision(text_or_empty(meta.protocol_version));
    return revision && is_modern(*revision) && meta.client_capabilities.is_object();
}

std::expected<std::optional<LogLevel>, Rejection> check_meta(const json::EnvelopeView& view) {
    const json::MetaView& meta = view.in_params.in_meta;
    if (!meta.protocol_version) return bad_meta(meta_key::kProtocolVersion, "is missing");
    if (!meta.protocol_version.is_string()) return bad_meta(meta_key::kProtocolVersion, "is not text");
    if (!meta.client_capabilities) return bad_meta(meta_key::kClientCapabilities, "is missing");
    if (!meta.client_capabilities.is_object()) return bad_meta(meta_key::kClientCapabilities, "is not an object");
    if (meta.client_info && !meta.client_info.is_object()) return bad_meta(meta_key::kClientInfo, "is not an object");
    if (meta.progress_token && !is_id(meta.progress_token)) {
        return bad_meta(meta_key::kProgressToken, "is neither text nor an integer");
    }
    if (!meta.log_level) return std::optional<LogLevel>();
    const auto level = parse_log_level(text_or_empty(meta.log_level));
    if (!level) return bad_meta(meta_key::kLogLevel, "is not a log level");
    return std::optional<LogLevel>(level);
}

/// Fast path without copying: identical plain text in both places.
bool mirrors_plainly(const json::EnvelopeView& view, NameSource source, std::string_view field) noexcept {
    const json::Span& span = source == NameSource::kUri ? view.in_params.uri : view.in_params.name;
    if (source == NameSource::kTaskId || field.starts_with("=?")) return false;
    const auto text = span.plain_text();
    if (!text || *text != field) return false;
    return std::ranges::all_of(field, [](char c) { return c >= 0x20 && c <= 0x7E; });
}

/// The member of params that Mcp-Name mirrors; empty if there is none.
std::optional<std::string> name_in(const json::EnvelopeView& view, NameSource source) {
    switch (source) {
        case NameSource::kNone: return std::nullopt;
        case NameSource::kName: return view.in_params.name.text();
        case NameSource::kUri: return view.in_params.uri.text();
        case NameSource::kTaskId: break;
    }
    // Rare, and not among the members the scanner records.
    const auto params = Json::parse(view.params.raw(), {.max_bytes = view.params.raw().size(), .max_depth = 1024});
    const Json* task = params ? params->find("taskId") : nullptr;
    const std::string* id = task != nullptr ? task->if_string() : nullptr;
    return id != nullptr ? std::optional(*id) : std::nullopt;
}

std::optional<Rejection> check_routing(const json::EnvelopeView& view, std::string_view method, const MethodInfo* info,
                                       bool required, const RequestHead& head) {
    if (!head.method) {
        if (required) return disagrees(header::kMethod, "header is missing").error();
    } else if (head.method.repeated || head.method.value != method) {
        return disagrees(header::kMethod, "header differs from the body").error();
    }
    if (info == nullptr || info->name_source == NameSource::kNone) return std::nullopt;
    if (head.name && !head.name.repeated && mirrors_plainly(view, info->name_source, head.name.value))
        return std::nullopt;
    const auto name = name_in(view, info->name_source);
    if (!name) return std::nullopt;  // rejected by the method itself
    if (!head.name) {
        if (required) return disagrees(header::kName, "header is missing").error();
        return std::nullopt;
    }
    const auto sent = decode_header_value(head.name.value);
    if (!sent) return disagrees(header::kName, "header is malformed").error();
    if (head.name.repeated || *sent != *name) return disagrees(header::kName, "header differs from the body").error();
    return std::nullopt;
}

}  // namespace

bool misplaced(std::string_view method, const MethodInfo* info) noexcept {
    if (info != nullptr) return info->notification || info->direction == Direction::kToClient;
    return std::ranges::any_of(all_methods(), [&](const MethodInfo& row) { return row.name == method; });
}

bool is_id(const json::Span& value) noexcept {
    if (value.is_string()) return true;
    if (!value.is_number()) return false;
    const std::string_view digits = value.raw();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size() && digits != "-0";
}

std::string_view usable_id(const json::EnvelopeView& view) noexcept {
    return view.id && is_id(view.id) ? view.id.raw() : std::string_view();
}

std::expected<MessageKind, Rejection> shape_of(const json::EnvelopeView& view) {
    if (view.kind == Json::Kind::kArray) return MessageKind::kBatch;
    const auto not_rpc = [](std::string_view why) {
        return reject(invalid_request("not a JSON-RPC message: " + std::string(why)));
    };
    if (view.kind != Json::Kind::kObject) return not_rpc("not an object");
    if (!view.jsonrpc.is("2.0")) return not_rpc("jsonrpc is not \"2.0\"");
    if (view.method) {
        if (!view.method.is_string()) return not_rpc("method is not text");
        if (present(view.result) || present(view.error)) return not_rpc("both a call and an answer");
        if (present(view.params) && !view.params.is_object()) return not_rpc("params is not an object");
        if (!view.id) return MessageKind::kNotification;
        if (!is_id(view.id)) return not_rpc("id is neither text nor a 64-bit integer");
        return MessageKind::kRequest;
    }
    const bool failed = present(view.error);
    if (failed ? present(view.result) : !view.result) return not_rpc("not exactly one of method, result and error");
    if (failed ? present(view.id) && !is_id(view.id) : !is_id(view.id)) return not_rpc("no usable id");
    return MessageKind::kResponse;
}

std::expected<Era, Rejection> era_of(const json::EnvelopeView& view, MessageKind kind, const RequestHead* head,
                                     Eras eras) {
    const json::MetaView& meta = view.in_params.in_meta;
    const bool modern_header = head != nullptr && names_modern(head->version);
    const bool opens = kind == MessageKind::kRequest && view.method.is(method::kInitialize);
    const bool claim = opens ? claims_well(meta) : static_cast<bool>(meta.protocol_version);
    if (claim && kind != MessageKind::kResponse) {
        if (eras == Eras::kLegacy) return unsupported(text_or_empty(meta.protocol_version), eras);
        return Era::kModern;
    }
    if (opens) {
        if (eras == Eras::kModern) {
            // The error lists the versions that would work.
            const auto params = Json::parse(view.params ? view.params.raw() : "{}", {.max_depth = 1024});
            return unsupported(params ? params->string_at("protocolVersion") : std::string_view(), eras);
        }
        if (modern_header) return disagrees(header::kProtocolVersion, "header names a version without a handshake");
        return Era::kLegacy;
    }
    if (kind == MessageKind::kBatch || kind == MessageKind::kResponse) {
        if (eras == Eras::kModern || modern_header) {
            return reject(invalid_request(kind == MessageKind::kBatch
                                              ? "batches are not part of this revision"
                                              : "a client sends no responses in this revision"));
        }
        return Era::kLegacy;
    }
    if (eras == Eras::kModern || modern_header) {
        if (eras == Eras::kLegacy) return unsupported(head->version.value, eras);
        if (kind == MessageKind::kNotification) return Era::kModern;  // has no self-description and needs none
        return bad_meta(meta_key::kProtocolVersion, "is missing");
    }
    return Era::kLegacy;
}

std::expected<ModernClaim, Rejection> validate_modern(const json::EnvelopeView& view, std::string_view method,
                                                      MessageKind kind, const RequestHead* head, Eras eras) {
    ModernClaim claim;
    const json::MetaView& meta = view.in_params.in_meta;
    const bool request = kind == MessageKind::kRequest;
    if (request) {
        auto checked = check_meta(view);
        if (!checked) return std::unexpected(std::move(checked).error());
        claim.log_level = *checked;
    }
    if (meta.protocol_version) {
        const auto plain = meta.protocol_version.plain_text();
        const std::string spelt = plain ? std::string() : text_or_empty(meta.protocol_version);
        const std::string_view version = plain ? *plain : std::string_view(spelt);
        if (head != nullptr) {
            if (!head->version && request) return disagrees(header::kProtocolVersion, "header is missing");
            if (head->version && (head->version.repeated || head->version.value != version)) {
                return disagrees(header::kProtocolVersion, "header differs from the body");
            }
        }
        const auto revision = parse_revision(version);
        if (!revision || !is_modern(*revision)) return unsupported(version, eras);
        claim.revision = *revision;
    }
    claim.info = find_method(method, claim.revision);
    if (head != nullptr) {
        if (auto wrong = check_routing(view, method, claim.info, request, *head))
            return std::unexpected(*std::move(wrong));
    }
    if (!request) return claim;
    if (misplaced(method, claim.info)) return reject(method_not_found(method), 404);
    return claim;
}

std::expected<std::optional<Revision>, Rejection> legacy_version(const RequestHead& head) {
    if (!head.version) return std::optional<Revision>();
    const auto revision = parse_revision(head.version.value);
    if (!revision || is_modern(*revision) || head.version.repeated) {
        return unsupported(head.version.value, Eras::kLegacy);
    }
    return revision;
}

std::vector<Revision> supported_revisions(Eras eras) {
    std::vector<Revision> list;
    for (auto revision = kAllRevisions.rbegin(); revision != kAllRevisions.rend(); ++revision) {
        if (eras == Eras::kBoth || is_modern(*revision) == (eras == Eras::kModern)) list.push_back(*revision);
    }
    return list;
}

int status_of(std::int64_t error, Era era) noexcept {
    if (era == Era::kLegacy) return 200;  // 404 would mean that the session is gone
    switch (error) {
        case rpc_code::kMethodNotFound: return 404;
        case rpc_code::kHeaderMismatch:
        case rpc_code::kMissingCapability:
        case rpc_code::kUnsupportedVersion:
        case rpc_code::kInvalidRequest:
        case rpc_code::kParse: return 400;
        default: return 200;
    }
}

}  // namespace gantry::mcp
