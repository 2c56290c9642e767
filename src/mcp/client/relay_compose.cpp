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

/// The first of this hop's `_meta` members; empty: this hop adds none.
std::string_view first_key(const RelayRequest& request, std::string_view stamp, bool with_token) {
    if (!stamp.empty()) return meta_key::kProtocolVersion;
    if (with_token) return meta_key::kProgressToken;
    return request.correlation_id.empty() ? std::string_view() : meta_key::kCorrelationId;
}

/// Appends this hop's `_meta` members, from the value of the first one on.
void append_ours(std::string& out, const RelayRequest& request, std::string_view id, std::string_view stamp,
                 bool with_token) {
    if (!stamp.empty()) {
        out += stamp;
        if (request.log_level) {
            add_key(out, meta_key::kLogLevel);
            json::quote_to(to_string(*request.log_level), out);
        }
        if (with_token) add_key(out, meta_key::kProgressToken);
    }
    if (with_token) out += id;
    if (request.correlation_id.empty()) return;
    constexpr std::string_view kMember = R"(,"io.gantry/correlationId":")";
    static_assert(kMember.substr(2).starts_with(meta_key::kCorrelationId));
    const bool first = stamp.empty() && !with_token;
    out += first ? kMember.substr(kMember.size() - 1) : kMember;
    out += request.correlation_id;
    out += '"';
}

void append_meta(std::string& out, const RelayRequest& request, std::string_view id, std::string_view stamp) {
    const std::string_view key = first_key(request, stamp, request.wants_progress);
    out += '{';
    if (!key.empty()) {
        out.append("\"").append(key).append("\":");
        append_ours(out, request, id, stamp, request.wants_progress);
    }
    out += '}';
}

// Fast path for most requests: `_meta` has only members that are replaced, or is absent, so that at most two values
// are replaced and everything between them is copied.

/// Whether `_meta` has only members that are replaced, without white space between them.
bool is_all_exchanged(const json::Span& meta, const json::MetaView& in) {
    const json::Span* const known[] = {&in.progress_token,  &in.protocol_version, &in.client_capabilities,
                                       &in.client_info,     &in.server_info,      &in.log_level,
                                       &in.subscription_id, &in.correlation_id};
    // Each member is followed by a comma or the closing brace.
    std::size_t size = 1;
    for (const json::Span* span : known) {
        if (*span) size += span->member().size() + 1;
    }
    return size == meta.raw().size() || meta.raw() == "{}";
}

bool is_plain(const RelayRequest& request, bool modern) {
    const json::ParamsView& view = request.view;
    if (view.meta && (!view.meta.is_object() || !is_all_exchanged(view.meta, view.in_meta))) return false;
    if (!modern) return !view.request_state && !view.input_responses;
    // Removing an absent state is a no-op.
    return !request.request_state || (request.request_state->empty() && !view.request_state);
}

/// Rare enough to build a tree: a legacy client's task has no meaning in the modern era.
Result<std::string> without_related_task(const json::Span& meta, std::string ours) {
    GANTRY_TRY(Json tree, Json::parse(meta.raw()));
    JsonObject& object = *tree.if_object();
    strip_envelope(object);
    object.erase(meta_key::kRelatedTask);
    object.erase(meta_key::kProgressToken);
    object.erase(meta_key::kCorrelationId);
    if (object.empty()) return ours;
    ours.back() = ',';
    ours.append(tree.dump(), 1);
    return ours;
}

Result<void> exchange_meta(json::Splice& splice, const RelayRequest& request, std::string_view id,
                           std::string_view stamp) {
    const json::Span& meta = request.view.meta;
    const json::MetaView& in = request.view.in_meta;
    const bool has_meta = meta.is_object();
    if (!has_meta || (!stamp.empty() && meta.raw().contains(meta_key::kRelatedTask))) {
        std::string ours;
        append_meta(ours, request, id, stamp);
        if (has_meta) {
            GANTRY_TRY(ours, without_related_task(meta, std::move(ours)));
        }
        if (ours == "{}") return {};
        if (meta) {
            splice.replace(meta, ours);
        } else {
            splice.add(json::whole(request.params), "_meta", ours);
        }
        return {};
    }
    splice.remove(in.protocol_version);
    splice.remove(in.client_capabilities);
    splice.remove(in.client_info);
    splice.remove(in.server_info);
    splice.remove(in.log_level);
    splice.remove(in.subscription_id);
    splice.remove(in.correlation_id);
    if (request.wants_progress) {
        splice.replace(in.progress_token, id);
    } else {
        splice.remove(in.progress_token);
    }
    const bool with_token = request.wants_progress && !in.progress_token;
    if (const std::string_view key = first_key(request, stamp, with_token); !key.empty()) {
        // Splicing is textual, so the value can carry the other members with it.
        std::string value;
        append_ours(value, request, id, stamp, with_token);
        splice.add(meta, key, value);
    }
    return {};
}

/// The member that names the object of the request.
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

void append_plain(std::string& out, const RelayRequest& request, std::string_view id, std::string_view stamp) {
    const std::string_view params = request.params;
    const json::Span& meta = request.view.meta;
    const json::Span name = request.name.empty() ? json::Span() : name_span(request);
    std::size_t done = 0;
    const auto copy_until = [&](const char* end) {
        const auto at = static_cast<std::size_t>(end - params.data());
        out += params.substr(done, at - done);
        done = at;
    };
    const auto put_name = [&] {
        copy_until(name.raw().data());
        json::quote_to(request.name, out);
        done += name.raw().size();
    };
    const bool name_first = name && meta && name.raw().data() < meta.raw().data();
    if (name_first) put_name();
    if (meta) {
        copy_until(meta.raw().data());
        append_meta(out, request, id, stamp);
        done += meta.raw().size();
    } else if (!first_key(request, stamp, request.wants_progress).empty()) {
        copy_until(params.data() + params.find('{') + 1);
        out += R"("_meta":)";
        append_meta(out, request, id, stamp);
        const auto next = params.find_first_not_of(" \t\r\n", done);
        if (params[next] != '}') out += ',';
    }
    if (name && !name_first) put_name();
    copy_until(params.data() + params.size());
}

Result<void> append_spliced(std::string& out, const RelayRequest& request, std::string_view id,
                            std::string_view stamp) {
    json::Splice splice(request.params);
    GANTRY_CHECK(exchange_meta(splice, request, id, stamp));
    if (!request.name.empty()) splice.replace(name_span(request), quoted(request.name));
    exchange_state(splice, request, !stamp.empty());
    GANTRY_TRY(const std::string params, splice.finish());
    out += params;
    return {};
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
    constexpr std::string_view kHead = R"({"jsonrpc":"2.0","id":)";
    constexpr std::size_t kRoom = 224;  // upper bound of what else is added
    std::string out;
    out.reserve(kHead.size() + request.method.size() + request.params.size() + stamp.size() + request.name.size() +
                request.correlation_id.size() + kRoom);
    out.append(kHead).append(id_text).append(R"(,"method":)");
    json::quote_to(request.method, out);
    if (!request.params.empty()) {
        out += R"(,"params":)";
        if (is_plain(request, !stamp.empty())) {
            append_plain(out, request, id_text, stamp);
        } else {
            GANTRY_CHECK(append_spliced(out, request, id_text, stamp));
        }
    } else if (!first_key(request, stamp, request.wants_progress).empty()) {
        out += R"(,"params":{"_meta":)";
        append_meta(out, request, id_text, stamp);
        out += '}';
    }
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
