#include "mcp/client/relay_compose.hpp"

#include <array>
#include <charconv>

#include "base/json/splice.hpp"
#include "base/json/text.hpp"
#include "base/try.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::mcp {
namespace {

std::string quoted(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
    json::quote_to(text, out);
    return out;
}

void add_key(std::string& out, std::string_view key) {
    out += ",\"";
    out += key;
    out += "\":";
}

/// What this hop adds to `_meta`: one key, then its value with any further members behind it. Splice adds a member in
/// front of the others, and text is text.
struct Addition {
    std::string_view key = {};
    std::string value = {};

    explicit operator bool() const noexcept { return !key.empty(); }
    std::string object() const {
        std::string out = "{\"";
        out.append(key).append("\":").append(value).append("}");
        return out;
    }
};

Addition addition_of(const RelayRequest& request, std::string_view id, std::string_view stamp, bool token_there) {
    Addition add;
    const bool progress = request.wants_progress && !token_there;
    if (stamp.empty()) {
        if (progress) add = {.key = meta_key::kProgressToken, .value = std::string(id)};
        return add;
    }
    add.key = meta_key::kProtocolVersion;
    add.value.reserve(stamp.size() + 96);
    add.value = stamp;
    if (request.log_level) {
        add_key(add.value, meta_key::kLogLevel);
        json::quote_to(to_string(*request.log_level), add.value);
    }
    if (progress) {
        add_key(add.value, meta_key::kProgressToken);
        add.value += id;
    }
    return add;
}

/// Rare enough for a tree: a legacy client's task has no meaning in the modern era.
Result<std::string> without_related_task(const json::Span& meta, const Addition& add) {
    GANTRY_TRY(Json tree, Json::parse(meta.raw()));
    JsonObject& object = *tree.if_object();
    strip_envelope(object);
    object.erase(meta_key::kRelatedTask);
    object.erase(meta_key::kProgressToken);
    std::string out = add.object();
    if (object.empty()) return out;
    out.back() = ',';
    out.append(tree.dump(), 1);
    return out;
}

Result<void> exchange_meta(json::Splice& splice, const RelayRequest& request, std::string_view id,
                           std::string_view stamp) {
    const json::Span& meta = request.view.meta;
    const json::MetaView& in = request.view.in_meta;
    const bool has_meta = meta.is_object();
    if (has_meta && !stamp.empty() && meta.raw().contains(meta_key::kRelatedTask)) {
        GANTRY_TRY(const std::string text, without_related_task(meta, addition_of(request, id, stamp, false)));
        splice.replace(meta, text);
        return {};
    }
    const Addition add = addition_of(request, id, stamp, has_meta && in.progress_token);
    if (!has_meta) {
        if (!add) return {};
        if (meta) {
            splice.replace(meta, add.object());
        } else {
            splice.add(json::whole(request.params), "_meta", add.object());
        }
        return {};
    }
    splice.remove(in.protocol_version);
    splice.remove(in.client_capabilities);
    splice.remove(in.client_info);
    splice.remove(in.server_info);
    splice.remove(in.log_level);
    splice.remove(in.subscription_id);
    if (request.wants_progress) {
        splice.replace(in.progress_token, id);
    } else {
        splice.remove(in.progress_token);
    }
    if (add) splice.add(meta, add.key, add.value);
    return {};
}

/// Where the name stands that the request is about.
const json::Span& name_span(const RelayRequest& request) {
    if (request.method.starts_with("resources/") || !request.view.name) return request.view.uri;
    return request.view.name;
}

void exchange_state(json::Splice& splice, const RelayRequest& request, bool modern) {
    const json::ParamsView& view = request.view;
    if (!modern) {
        splice.remove(view.request_state);
        splice.remove(view.input_responses);
    } else if (request.request_state && request.request_state->empty()) {
        splice.remove(view.request_state);
    } else if (request.request_state && view.request_state) {
        splice.replace(view.request_state, quoted(*request.request_state));
    } else if (request.request_state) {
        splice.add(json::whole(request.params), "requestState", quoted(*request.request_state));
    }
}

Result<std::string> exchanged_params(const RelayRequest& request, std::string_view id, std::string_view stamp) {
    json::Splice splice(request.params);
    GANTRY_CHECK(exchange_meta(splice, request, id, stamp));
    if (!request.name.empty()) splice.replace(name_span(request), quoted(request.name));
    exchange_state(splice, request, !stamp.empty());
    return splice.finish();
}

}  // namespace

std::string make_stamp(Revision revision, std::string_view capabilities, const Implementation& self) {
    std::string out = quoted(to_string(revision));
    add_key(out, meta_key::kClientCapabilities);
    out += capabilities;
    add_key(out, meta_key::kClientInfo);
    encode(self, revision).dump_to(out);
    return out;
}

Result<std::string> compose_relay(const RelayRequest& request, std::int64_t id, std::string_view stamp) {
    std::array<char, 24> digits;
    const std::string_view id_text(digits.data(), std::to_chars(digits.begin(), digits.end(), id).ptr);
    std::string params;
    if (!request.params.empty()) {
        GANTRY_TRY(params, exchanged_params(request, id_text, stamp));
    } else if (const Addition add = addition_of(request, id_text, stamp, false)) {
        params = R"({"_meta":)" + add.object() + '}';
    }

    constexpr std::string_view kHead = R"({"jsonrpc":"2.0","id":)";
    std::string out;
    out.reserve(kHead.size() + id_text.size() + request.method.size() + params.size() + 32);
    out.append(kHead).append(id_text).append(R"(,"method":)");
    json::quote_to(request.method, out);
    if (!params.empty()) out.append(R"(,"params":)").append(params);
    out += '}';
    return out;
}

std::string relayed_name(const RelayRequest& request, Revision revision) {
    const MethodInfo* info = find_method(request.method, revision);
    if (info == nullptr) return {};
    switch (info->name_source) {
        case NameSource::kNone: return {};
        case NameSource::kName:
            return request.name.empty() ? request.view.name.text().value_or("") : std::string(request.name);
        case NameSource::kUri:
            return request.name.empty() ? request.view.uri.text().value_or("") : std::string(request.name);
        case NameSource::kTaskId: break;
    }
    const auto params = Json::parse(request.params);
    return params ? std::string(params->string_at("taskId")) : std::string();
}

}  // namespace gantry::mcp
