#include "gateway/pipeline/input_loop.hpp"

#include "base/json/scan.hpp"
#include "base/json/splice.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/pipeline/guard.hpp"
#include "gateway/ports/source.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {
namespace {

struct Question {
    std::string key;
    std::string method;
    std::string params;
    std::optional<Result<std::string>> answer = {};
};

Result<std::vector<Question>> read_questions(const std::string& text) {
    std::vector<Question> questions;
    if (text.empty()) return questions;
    GANTRY_TRY(const Json json, Json::parse(text));
    const JsonObject* members = json.if_object();
    if (members == nullptr) return fail(ErrorCode::kProtocol, "inputRequests is not an object");
    for (const auto& [key, request] : *members) {
        const Json* params = request.find("params");
        questions.push_back({.key = key,
                             .method = std::string(request.string_at("method")),
                             .params = params == nullptr ? "{}" : params->dump()});
    }
    return questions;
}

Task<void> put(Context ctx, ReplyLine& line, Question& question) {
    question.answer = co_await line.ask(ctx, question.method, question.params);
}

/// Sends all questions concurrently: the client decides in which order to show them.
Task<void> put_all(const Context& ctx, std::vector<Question>& questions, ReplyLine& line, Duration limit) {
    Scope scope(ctx);
    for (Question& question : questions) scope.spawn(put(scope.context().within(limit), line, question));
    co_await scope.join();
}

/// The bare results by their keys. The protocol can express a declined elicitation; other refusals end the call.
Result<std::string> collect(const std::vector<Question>& questions) {
    std::string out = "{";
    for (const Question& question : questions) {
        if (out.size() > 1) out += ',';
        out += Json(question.key).dump();
        out += ':';
        if (*question.answer) {
            out += **question.answer;
        } else if (question.method == mcp::method::kElicit && question.answer->error().code() == ErrorCode::kRpc) {
            out += R"({"action":"cancel"})";
        } else {
            return fail(question.answer->error().within("the client was asked for " + question.method));
        }
    }
    return out + '}';
}

/// The call's params with the answers added; owns the text that the new call's views refer to.
struct Answered {
    std::string text;
    json::EnvelopeView view;

    static Result<Answered> make(const IncomingCall& call, const std::string& answers) {
        // Wrapped and scanned as a message to obtain a view of the params.
        std::string wrapped = R"({"params":)";
        wrapped.append(call.params.empty() ? std::string_view("{}") : call.params).append("}");
        GANTRY_TRY(const auto before, json::scan_envelope(wrapped));
        json::Splice splice(wrapped);
        if (before.in_params.input_responses) {
            splice.replace(before.in_params.input_responses, answers);
        } else {
            splice.add(before.params, "inputResponses", answers);
        }
        Answered made;
        GANTRY_TRY(made.text, splice.finish());
        GANTRY_TRY(made.view, json::scan_envelope(made.text));
        return made;
    }
};

Output failed_tool(const Error& why, mcp::Revision revision) {
    const Json result =
        JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", why.message()}}}}, {"isError", true}};
    return make_output(result.dump(), revision);
}

}  // namespace

Task<Result<Output>> answer_questions(const Context& ctx, const AdmittedCall& call, Output asked, ReplyLine& line,
                                      const Execute& execute, const InputLimits& limits) {
    Output output = std::move(asked);
    for (int round = 1; output.kind == Output::Kind::kInputRequired; ++round) {
        if (round > limits.max_rounds)
            co_return fail(ErrorCode::kLimit,
                           "the server asked for input more than " + std::to_string(limits.max_rounds) + " times");
        GANTRY_CO_TRY(auto questions, read_questions(output.questions));
        if (questions.empty()) {
            GANTRY_CO_CHECK(co_await sleep_for(ctx, limits.pace));
        } else {
            co_await put_all(ctx, questions, line, limits.question);
        }
        GANTRY_CO_CHECK(ctx.check());
        auto answers = collect(questions);
        if (!answers) {
            if (call.verb() == Verb::kCallTool) co_return failed_tool(answers.error(), call.client().revision);
            co_return fail(answers.error());
        }
        GANTRY_CO_TRY(auto answered, Answered::make(call.incoming(), *answers));
        IncomingCall next = call.incoming();
        next.params = answered.view.params.raw();
        next.view = answered.view.in_params;
        const AdmittedCall again = Guard::again(call, next, std::move(output.state));
        GANTRY_CO_TRY(output, co_await execute(ctx, again, line));
    }
    co_return std::move(output);
}

}  // namespace gantry::gateway
