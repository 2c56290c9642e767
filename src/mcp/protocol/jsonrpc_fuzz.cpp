#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/protocol/message.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/negotiate.hpp"
#include "mcp/protocol/result.hpp"

namespace {

using namespace gantry;
using namespace gantry::mcp;

void require(bool holds) {
    if (!holds) std::abort();
}

/// What decodes must encode, and the encoding must decode to the same value.
template <class T>
void round_trip(const Json& json, Revision revision) {
    const auto value = decode<T>(json, revision);
    if (!value) return;
    const Json once = encode(*value, revision);
    const auto again = decode<T>(once, revision);
    require(again.has_value());
    require(encode(*again, revision) == once);
}

template <class... T>
void round_trips(const Json& json) {
    for (const Revision revision : {Revision::k2024_11_05, Revision::k2025_11_25, Revision::k2026_07_28}) {
        (round_trip<T>(json, revision), ...);
    }
}

void params(const Json& json) {
    round_trips<EmptyParams, PageParams, InitializeParams, CallToolParams, GetPromptParams, ReadResourceParams,
                SubscribeParams, CompleteParams, SetLevelParams, ListenParams, CreateMessageParams, ElicitParams,
                TaskParams, UpdateTaskParams>(json);
    round_trips<Progress, LogMessage, Cancelled, ResourceUpdated, SubscriptionsAcknowledged, ElicitationComplete,
                TaskStatusChanged>(json);
    static_cast<void>(read_meta(json));
    Json stamped = json;
    stamp_meta(stamped, Revision::k2026_07_28, {});
    require(read_meta(stamped).has_value());
    if (const Json* schema = json.find("requestedSchema")) {
        static_cast<void>(elicit_fields(*schema));
        const JsonObject filled = fill_defaults(*schema, {});
        static_cast<void>(check_elicit_content(*schema, filled));
    }
}

void result(const Json& json) {
    round_trips<EmptyResult, InitializeResult, DiscoverResult, ListToolsResult, CallToolResult, ListPromptsResult,
                GetPromptResult, ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult, CompleteResult,
                CreateMessageResult, ListRootsResult, ElicitResult, InputRequired, CreateTaskResult, GetTaskResult,
                ListTasksResult>(json);
    for (const MethodInfo& info : all_methods()) static_cast<void>(check_result(json, kLatestRevision, info));
    if (const Json* schema = json.at_pointer("/tools/0/inputSchema")) static_cast<void>(header_params(*schema));
    static_cast<void>(judge(HttpProbe{HttpProbe::ProbeOutcome::kAnswered, 200, RpcOutcome(json)}));
}

void error(const RpcError& rpc) {
    static_cast<void>(as_unsupported_version(rpc));
    static_cast<void>(as_missing_capability(rpc));
    static_cast<void>(as_url_elicitations(rpc));
    static_cast<void>(as_missing_resource(rpc));
    static_cast<void>(judge(HttpProbe{HttpProbe::ProbeOutcome::kAnswered, 400, RpcOutcome(std::unexpected(rpc))}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (auto field = decode_header_value(text)) require(decode_header_value(encode_header_value(*field)) == *field);
    auto messages = decode_messages(text);
    if (!messages) return 0;
    for (const Message& message : *messages) {
        const std::string line = encode_message(message);
        require(line.find('\n') == std::string::npos);
        const auto again = decode_message(line);
        require(again.has_value() && encode_message(*again) == line);
        if (const auto* request = std::get_if<RequestMessage>(&message)) params(request->params);
        if (const auto* note = std::get_if<NotificationMessage>(&message)) params(note->params);
        if (const auto* response = std::get_if<ResponseMessage>(&message)) {
            if (response->outcome) result(*response->outcome);
            if (!response->outcome) error(response->outcome.error());
        }
    }
    return 0;
}
