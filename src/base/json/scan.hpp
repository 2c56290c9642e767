#pragma once

#include <string_view>

#include "base/json/span.hpp"
#include "gantry/json.hpp"

namespace gantry::json {

/// The members of `_meta` an intermediary needs. The reserved keys are under
/// "io.modelcontextprotocol/"; correlation_id is Gantry's own, "io.gantry/correlationId".
struct MetaView {
    Span progress_token;
    Span protocol_version;
    Span client_capabilities;
    Span client_info;
    Span server_info;
    Span log_level;
    Span subscription_id;
    Span correlation_id;
};

struct ParamsView {
    Span name;
    Span uri;
    Span arguments;
    Span cursor;
    Span request_state;
    Span input_responses;
    Span request_id;      // notifications/cancelled
    Span progress_token;  // notifications/progress
    Span meta;
    MetaView in_meta;
};

struct ResultView {
    Span result_type;
    Span next_cursor;
    Span ttl_ms;
    Span cache_scope;
    Span is_error;
    Span content;
    Span meta;
    MetaView in_meta;
};

/// A JSON-RPC message without a tree: the positions of its parts in the scanned text.
/// Keys are compared unescaped, so any spelling is found.
struct EnvelopeView {
    /// Of the whole text. Spans are set only for an object; a batch is kArray.
    Json::Kind kind = Json::Kind::kNull;
    Span jsonrpc;
    Span id;
    Span method;
    Span params;
    Span result;
    Span error;
    ParamsView in_params;  // when params is an object
    ResultView in_result;  // when result is an object
};

/// Reads all of `text` in one pass, as strictly as Json::parse and with the same errors.
/// The view refers to `text`. Does not check JSON-RPC: every part may be absent or of
/// any kind.
Result<EnvelopeView> scan_envelope(std::string_view text, const JsonLimits& limits = {});

}  // namespace gantry::json
