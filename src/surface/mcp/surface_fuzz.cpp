#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "surface/mcp/decode.hpp"
#include "surface/mcp/encode.hpp"
#include "surface/mcp/errors.hpp"

// A server's answer, as the client receives it: always one strict JSON-RPC response with the client's id, with
// everything a modern client needs and nothing a legacy one does not know, and the tool's content unchanged. The first
// bytes select the eras and the verb; the rest is the result, an error, or a request.

namespace {

using namespace gantry;
using namespace gantry::surface;
using gateway::Output;
using gateway::Verb;
using mcp::Revision;

void require(bool holds) {
    if (!holds) std::abort();
}

const Stamp kStamp{.server_info = R"({"name":"gantry","version":"0"})"};
constexpr Verb kVerbs[] = {Verb::kCallTool, Verb::kGetPrompt,  Verb::kReadResource, Verb::kComplete,
                           Verb::kGetTask,  Verb::kUpdateTask, Verb::kCancelTask,   Verb::kTaskResult};

mcp::PeerPtr peer_of(Revision revision) {
    auto peer = std::make_shared<mcp::Peer>();
    peer->revision = revision;
    return peer;
}

Json read_response(const mcp::Answer& answer) {
    auto json = Json::parse(answer.message, {.max_depth = 300});
    require(json && json->is_object());
    require(json->string_at("jsonrpc") == "2.0" && json->string_at("id") == "\xc3\xa4 seven");
    require((json->find("result") == nullptr) != (json->find("error") == nullptr));
    return *std::move(json);
}

void check_modern(const Json& result, const Output& output, Verb verb) {
    require(result.string_at("resultType") == (output.kind == Output::Kind::kTask ? "task" : "complete"));
    const Json* meta = result.find("_meta");
    require(meta != nullptr && meta->find(mcp::meta_key::kServerInfo) != nullptr);
    require(meta->find(mcp::meta_key::kServerInfo)->string_at("name") == "gantry");
    require(meta->find(mcp::meta_key::kSubscriptionId) == nullptr);
    if (verb == Verb::kCallTool && output.kind == Output::Kind::kComplete) require(result.find("content") != nullptr);
}

void check_legacy(const Json& result) {
    for (const std::string_view key : {"resultType", "ttlMs", "cacheScope"}) require(result.find(key) == nullptr);
    const Json* meta = result.find("_meta");
    if (meta == nullptr) return;
    for (const std::string_view key :
         {mcp::meta_key::kServerInfo, mcp::meta_key::kProtocolVersion, mcp::meta_key::kSubscriptionId})
        require(meta->find(key) == nullptr);
}

void try_result(const mcp::Call& call, Verb verb, Revision source, std::string_view text, bool task) {
    auto message = mcp::RawMessage::read(R"({"jsonrpc":"2.0","id":0,"result":)" + std::string(text) + "}");
    if (!message) return;
    const auto given = Json::parse(message->view().result.raw(), {.max_depth = 300});
    Output output;
    output.message = *std::move(message);
    output.revision = source;
    if (task) output.kind = Output::Kind::kTask;
    if (task) output.state = "sealed";
    Output seen;
    seen.kind = output.kind;
    const auto answer = encode(call, verb, std::move(output), kStamp, "sealed");
    if (!answer) return require(answer.error().code() == ErrorCode::kProtocol);
    const Json response = read_response(*answer);
    const Json* result = response.find("result");
    require(result != nullptr && result->is_object() && given);
    if (call.peer->modern()) {
        check_modern(*result, seen, verb);
    } else if (mcp::is_modern(source)) {
        check_legacy(*result);
    }
    const bool same_words = call.peer->modern() || call.peer->revision == source;
    for (const auto& [key, value] : *given->if_object()) {
        if (!same_words || key == "resultType" || key == "_meta" || key == "taskId" || key == "task") continue;
        if (!call.peer->modern() && mcp::is_modern(source)) continue;
        if (!call.peer->modern() && (key == "ttlMs" || key == "cacheScope")) continue;
        const Json* passed = result->find(key);
        require(passed != nullptr && *passed == value);
    }
}

void try_error(const mcp::Call& call, Verb verb, std::string_view text) {
    const auto read = mcp::read_rpc_error(text);
    if (!read) return;
    const Error error = Error(ErrorCode::kRpc, read->message).rpc(*read);
    const Json response = read_response(answer_failure(call, verb, "name", error, "c-1"));
    const Json* code = response.at_pointer("/error/code");
    if (code == nullptr) return;
    require(code->as_int() != mcp::rpc_code::kHeaderMismatch && code->as_int() != mcp::rpc_code::kUnsupportedVersion);
    if (call.peer->modern()) {
        require(code->as_int() != mcp::rpc_code::kResourceNotFound);
        require(code->as_int() != mcp::rpc_code::kUrlElicitationRequired);
    } else {
        require(code->as_int() != mcp::rpc_code::kMissingCapability);
    }
}

void try_request(mcp::PeerPtr peer, std::string_view text) {
    const auto view = json::scan_envelope(text);
    if (!view || !view->method.is_string() || (view->params && !view->params.is_object())) return;
    const std::string method = view->method.text().value_or("");
    const auto decoded = decode_call({.peer = std::move(peer), .text = text, .view = *view, .method = method});
    if (decoded) require(gateway::method_of(decoded->verb) == method);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const Revision client = mcp::kAllRevisions[data[0] % mcp::kAllRevisions.size()];
    const Revision source = mcp::kAllRevisions[data[1] % mcp::kAllRevisions.size()];
    const Verb verb = kVerbs[data[2] % std::size(kVerbs)];
    const std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
    const std::string request = "{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\xa4 seven\",\"method\":\"tools/call\"}";
    const auto view = json::scan_envelope(request);
    const mcp::Call call{.peer = peer_of(client), .text = request, .view = *view, .method = "tools/call"};
    try_result(call, verb, source, rest, false);
    try_result(call, Verb::kCallTool, source, rest, true);
    try_error(call, verb, rest);
    try_request(call.peer, rest);
    return 0;
}
