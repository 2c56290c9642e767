#include "gateway/sources/mcp/answers.hpp"

#include "base/try.hpp"
#include "gateway/sources/mcp/questions.hpp"
#include "gateway/sources/mcp/suspendable_call.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway {

namespace {

constexpr std::string_view kVisit = "visit:";
constexpr char kModern = '=';

class RelayedOutput final : public OutputStream {
public:
    RelayedOutput(std::unique_ptr<mcp::RelayStream> stream, Lease lease)
        : lease_(std::move(lease)), stream_(std::move(stream)) {}

    Task<Result<std::optional<std::string_view>>> next(const Context& ctx) override { return stream_->next(ctx); }

private:
    Lease lease_;  // outlives the stream
    std::unique_ptr<mcp::RelayStream> stream_;
};

bool may_ask_input(Verb verb) noexcept {
    return verb == Verb::kCallTool || verb == Verb::kGetPrompt || verb == Verb::kReadResource;
}

Result<Output> read_questions(Output output, const ForwardedCapabilities& forwarded) {
    GANTRY_TRY(const Json result, Json::parse(output.result()));
    const Json* requests = result.find("inputRequests");
    const Json* state = result.find("requestState");
    if (requests != nullptr && requests->is_null()) requests = nullptr;
    if (requests != nullptr) {
        GANTRY_CHECK(check_input_requests(forwarded, *requests));
        output.questions = requests->dump();
    }
    if (state != nullptr && state->is_string()) output.state = modern_state(*state->if_string());
    if (requests == nullptr && !output.state) {
        return fail(ErrorCode::kProtocol, "the server asked for input without a question or a state");
    }
    output.kind = Output::Kind::kInputRequired;
    return output;
}

}  // namespace

Output to_output(mcp::RelayAnswer answer, Lease lease) {
    Output output;
    output.revision = answer.revision;
    if (answer.stream) {
        output.stream = std::make_unique<RelayedOutput>(std::move(answer.stream), std::move(lease));
    } else {
        output.message = std::move(answer.message);
    }
    return output;
}

Result<Output> read_modern_answer(mcp::RelayAnswer answer, Lease lease, Verb verb,
                                  const ForwardedCapabilities& forwarded, bool takes_tasks) {
    Output output = to_output(std::move(answer), std::move(lease));
    // An answer too large to hold in memory is neither a question nor a task handle.
    if (output.stream) return output;
    const json::Span& type = output.view().result_type;
    if (!type || type.is("complete")) return output;
    if (type.is("input_required") && may_ask_input(verb)) return read_questions(std::move(output), forwarded);
    if (type.is("task") && verb == Verb::kCallTool && takes_tasks) {
        GANTRY_TRY(const Json result, Json::parse(output.result()));
        const std::string_view id = result.string_at("taskId");
        if (id.empty()) return fail(ErrorCode::kProtocol, "the server made a task of the call but did not name it");
        output.kind = Output::Kind::kTask;
        output.state = std::string(id);
        return output;
    }
    return fail(ErrorCode::kProtocol, "the server answered with a result type that does not belong here");
}

std::string modern_state(std::string_view inner) {
    return kModern + std::string(inner);
}

std::string_view inner_state(std::string_view state) noexcept {
    return state.starts_with(kModern) ? state.substr(1) : std::string_view();
}

bool is_visit_state(std::string_view state) noexcept {
    return state.starts_with(kVisit);
}

Result<Output> read_legacy_error(const Error& error, const ClientTraits& client,
                                 const ForwardedCapabilities& forwarded) {
    const RpcError* rpc = error.rpc();
    if (rpc == nullptr || rpc->code != mcp::rpc_code::kUrlElicitationRequired || !client.modern()) return fail(error);
    const auto pages = mcp::as_url_elicitations(*rpc);
    if (pages.empty()) return fail(error);
    if (!forwarded.by_url()) {
        mcp::ClientCapabilities required;
        required.elicitation.emplace();
        required.elicitation->url.emplace();
        RpcError missing = mcp::missing_capability(required, "the server needs a page to be visited first");
        return fail(Error(ErrorCode::kUnsupported, missing.message).rpc(std::move(missing)));
    }
    JsonObject questions;
    for (const mcp::ElicitParams& page : pages) {
        JsonObject params{{"mode", "url"}, {"message", page.message}, {"url", page.url}};
        questions.set(random_name(), JsonObject{{"method", "elicitation/create"}, {"params", std::move(params)}});
    }
    const JsonObject result{{"resultType", "input_required"}, {"inputRequests", questions}};
    Output output = make_output(Json(result).dump(), mcp::kLatestRevision);
    output.kind = Output::Kind::kInputRequired;
    output.questions = Json(std::move(questions)).dump();
    output.state = std::string(kVisit) + random_name();
    return output;
}

bool all_visited(std::string_view responses) {
    const auto answers = Json::parse(responses);
    if (!answers || !answers->is_object() || answers->if_object()->empty()) return false;
    for (const auto& [key, answer] : *answers->if_object()) {
        if (answer.string_at("action") != "accept") return false;
    }
    return true;
}

Output failed_tool(std::string_view why, mcp::Revision revision) {
    const JsonObject block{{"type", "text"}, {"text", why}};
    return make_output(Json(JsonObject{{"content", JsonArray{block}}, {"isError", true}}).dump(), revision);
}

}  // namespace gantry::gateway
