#include "mcp/protocol/errors.hpp"

#include <algorithm>

#include "mcp/protocol/codec.hpp"

namespace gantry::mcp {
namespace {

Json data_of(const RpcError& error) {
    if (error.data.empty()) return {};
    auto data = Json::parse(error.data);
    return data ? *std::move(data) : Json();
}

/// At most `limit` bytes, never splitting a character.
std::string_view shortened(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return text;
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
    return text.substr(0, limit);
}

/// For errors that came without a message, which JSON-RPC requires but some servers leave out.
std::string_view default_text(std::int64_t code) noexcept {
    switch (code) {
        case rpc_code::kParse: return "parse error";
        case rpc_code::kInvalidRequest: return "invalid request";
        case rpc_code::kMethodNotFound: return "method not found";
        case rpc_code::kInvalidParams: return "invalid params";
        case rpc_code::kInternal: return "internal error";
        case rpc_code::kHeaderMismatch: return "header mismatch";
        case rpc_code::kMissingCapability: return "missing client capability";
        case rpc_code::kUnsupportedVersion: return "unsupported protocol version";
        case rpc_code::kResourceNotFound: return "resource not found";
        case rpc_code::kUrlElicitationRequired: return "URL elicitation required";
        default: return "the peer gave no reason";
    }
}

}  // namespace

RpcError parse_error(std::string message) {
    return {rpc_code::kParse, std::move(message), {}};
}
RpcError invalid_request(std::string message) {
    return {rpc_code::kInvalidRequest, std::move(message), {}};
}
RpcError method_not_found(std::string_view method) {
    return {rpc_code::kMethodNotFound, "method not found: " + std::string(shortened(method, 200)), {}};
}
RpcError invalid_params(std::string message) {
    return {rpc_code::kInvalidParams, std::move(message), {}};
}
RpcError internal_error(std::string message) {
    return {rpc_code::kInternal, std::move(message), {}};
}
RpcError header_mismatch(std::string message) {
    return {rpc_code::kHeaderMismatch, std::move(message), {}};
}

RpcError missing_capability(const ClientCapabilities& required, std::string message) {
    const Json data = JsonObject{{"requiredCapabilities", encode(required, kLatestRevision)}};
    return {rpc_code::kMissingCapability, std::move(message), data.dump()};
}

RpcError unsupported_version(std::string_view requested, std::span<const Revision> supported) {
    JsonArray versions;
    for (const Revision revision : supported) versions.emplace_back(to_string(revision));
    const Json data = JsonObject{{"supported", std::move(versions)}, {"requested", Json(requested)}};
    return {rpc_code::kUnsupportedVersion, "unsupported protocol version", data.dump()};
}

RpcError resource_not_found(std::string_view uri, Revision revision) {
    const Json data = JsonObject{{"uri", Json(uri)}};
    return {is_modern(revision) ? rpc_code::kInvalidParams : rpc_code::kResourceNotFound, "resource not found",
            data.dump()};
}

RpcError url_elicitation_required(std::span<const ElicitParams> elicitations) {
    JsonArray list;
    for (const ElicitParams& params : elicitations) list.push_back(encode(params, Revision::k2025_11_25));
    const Json data = JsonObject{{"elicitations", std::move(list)}};
    return {rpc_code::kUrlElicitationRequired, "URL elicitation required", data.dump()};
}

std::vector<std::string> versions_named(const RpcError& error) {
    std::vector<std::string> versions;
    const Json data = data_of(error);
    const Json* supported = data.find("supported");
    if (supported == nullptr) supported = data.find("supportedVersions");
    const JsonArray* list = supported != nullptr ? supported->if_array() : nullptr;
    if (list == nullptr) return versions;
    for (const Json& version : *list) {
        if (const auto* text = version.if_string()) versions.push_back(*text);
    }
    return versions;
}

std::optional<UnsupportedVersion> as_unsupported_version(const RpcError& error) {
    if (error.code != rpc_code::kUnsupportedVersion) return {};
    auto supported = versions_named(error);
    if (supported.empty()) return {};
    return UnsupportedVersion{std::move(supported), std::string(data_of(error).string_at("requested"))};
}

std::optional<ClientCapabilities> as_missing_capability(const RpcError& error) {
    if (error.code != rpc_code::kMissingCapability) return {};
    const Json data = data_of(error);
    const Json* required = data.find("requiredCapabilities");
    if (required == nullptr) return {};
    auto capabilities = decode<ClientCapabilities>(*required, kLatestRevision);
    return capabilities ? std::optional(*std::move(capabilities)) : std::nullopt;
}

std::vector<ElicitParams> as_url_elicitations(const RpcError& error) {
    std::vector<ElicitParams> pages;
    if (error.code != rpc_code::kUrlElicitationRequired) return pages;
    const Json data = data_of(error);
    const Json* list = data.find("elicitations");
    const JsonArray* items = list != nullptr ? list->if_array() : nullptr;
    if (items == nullptr) return pages;
    for (const Json& item : *items) {
        auto params = decode<ElicitParams>(item, Revision::k2025_11_25);
        if (params && params->mode == ElicitMode::kUrl) pages.push_back(*std::move(params));
    }
    return pages;
}

std::optional<std::string> as_missing_resource(const RpcError& error) {
    if (error.code != rpc_code::kResourceNotFound && error.code != rpc_code::kInvalidParams) return {};
    const Json data = data_of(error);
    const Json* uri = data.find("uri");
    if (uri == nullptr || !uri->is_string()) return {};
    return *uri->if_string();
}

Error to_error(RpcError error, std::string_view method) {
    if (error.message.empty()) error.message = default_text(error.code);
    std::string text(method);
    text += ": the peer answered " + std::to_string(error.code) + ": ";
    text += shortened(error.message, 500);
    return Error(ErrorCode::kRpc, std::move(text)).rpc(std::move(error));
}

}  // namespace gantry::mcp
