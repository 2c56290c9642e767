#include "mcp/handlers/server_call.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "io/scope.hpp"
#include "mcp/handlers/questions.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/protocol/older.hpp"

namespace gantry::mcp {
namespace {

Error bad_answer(const Error& why) {
    return Error(ErrorCode::kRpc, why.message()).rpc(invalid_params(why.message()));
}

}  // namespace

ServerCall::ServerCall(const Call& call, ReplyChannel& line, JsonObject meta, Asking asking)
    : peer_(call.peer),
      line_(&line),
      meta_(std::move(meta)),
      progress_token_(call.view.in_params.in_meta.progress_token ? call.view.in_params.in_meta.progress_token.raw()
                                                                 : std::string_view()),
      log_level_(call.log_level),
      asking_(asking) {
    // null and other types are not valid tokens.
    if (!progress_token_.empty() && progress_token_[0] != '"' && progress_token_[0] != '-' &&
        (progress_token_[0] < '0' || progress_token_[0] > '9')) {
        progress_token_.clear();
    }
}

void ServerCall::adopt(TaskTable& table, TaskPtr task) {
    table_ = &table;
    task_ = std::move(task);
    asking_ = Asking::kInTask;
    line_ = nullptr;
}

bool ServerCall::notify(std::string_view method, Json params) {
    const Json message = JsonObject{{"jsonrpc", "2.0"}, {"method", Json(method)}, {"params", std::move(params)}};
    return line_->notify(message.dump());
}

bool ServerCall::progress(double progress, std::optional<double> total, std::string_view message) {
    if (last_progress_ && progress <= *last_progress_) return false;
    last_progress_ = progress;
    if (task_) {
        if (!message.empty()) table_->say(*task_, std::string(message));
        return !message.empty();
    }
    if (line_ == nullptr || progress_token_.empty()) return false;
    JsonObject params;
    auto token = Json::parse(progress_token_);
    if (!token) return false;
    params.set("progressToken", *std::move(token));
    params.set("progress", progress);
    if (total) params.set("total", *total);
    if (!message.empty()) params.set("message", message);
    return notify(method::kProgress, progress_for(std::move(params), peer_->revision));
}

bool ServerCall::log(LogLevel level, Json data, std::string_view logger) {
    if (line_ == nullptr || !log_level_ || level < *log_level_) return false;
    JsonObject params{{"level", Json(to_string(level))}};
    if (!logger.empty()) params.set("logger", logger);
    params.set("data", std::move(data));
    return notify(method::kMessage, std::move(params));
}

Task<Result<void>> ServerCall::room(const Context& ctx) {
    if (line_ == nullptr) co_return Result<void>();
    co_return co_await line_->room(ctx);
}

void ServerCall::hang_up(Duration retry) {
    if (line_ != nullptr) line_->hang_up(retry);
}

Error ServerCall::lacking(const ClientCapabilities& required, std::string_view what) const {
    std::string text = "the client did not declare " + std::string(what);
    if (!peer_->modern()) return Error(ErrorCode::kUnsupported, std::move(text));
    RpcError error = missing_capability(required, text);
    return Error(ErrorCode::kRpc, std::move(text)).rpc(std::move(error));
}

Result<void> ServerCall::need(const ClientCapabilities& required) const {
    const ClientCapabilities& has = client();
    ClientCapabilities lacks;
    std::string names;
    const auto note = [&](bool missing, auto& into, const auto& from, std::string_view name) {
        if (!missing) return;
        into = from;
        names.append(names.empty() ? "" : ", ").append(name);
    };
    note(required.roots && !has.roots, lacks.roots, required.roots, "roots");
    note(required.sampling && (!has.sampling || (required.sampling->tools && !has.sampling->tools) ||
                               (required.sampling->context && !has.sampling->context)),
         lacks.sampling, required.sampling, "sampling");
    note(required.elicitation && (!has.elicitation || (required.elicitation->url && !has.elicitation->supports_url()) ||
                                  (required.elicitation->form && !has.elicitation->supports_form())),
         lacks.elicitation, required.elicitation, "elicitation");
    for (const auto& [id, settings] : required.extensions) {
        if (has.extensions.contains(id)) continue;
        lacks.extensions.set(id, settings);
        names.append(names.empty() ? "" : ", ").append(id);
    }
    if (names.empty()) return {};
    return fail(lacking(lacks, names));
}

Result<void> ServerCall::may_ask(const InputRequest& request) const {
    if (const auto missing = missing_for(request, *peer_)) return fail(lacking(*missing, name_of(request)));
    if (asking_ == Asking::kNever || (asking_ == Asking::kOnLine && (line_ == nullptr || !line_->can_ask()))) {
        return fail(ErrorCode::kUnsupported, "the client cannot be asked during this request");
    }
    return {};
}

Result<InputResponses> ServerCall::ask_by_rounds(InputRequests requests) {
    InputResponses answers;
    bool missing = false;
    for (auto& [key, request] : requests) {
        const Json* answer = answers_.find(key);
        if (answer == nullptr) {
            missing = true;
            const auto same_key = [&key](const auto& pending) { return pending.first == key; };
            if (std::ranges::none_of(pending_, same_key)) pending_.emplace_back(key, std::move(request));
            continue;
        }
        if (auto fits = check_answer(key, request, *answer, peer_->revision); !fits)
            return fail(bad_answer(fits.error()));
        used_.set(key, *answer);
        answers.set(key, *answer);
    }
    if (missing) return fail(ErrorCode::kCancelled, "the client is asked first");
    return answers;
}

Task<Result<InputResponses>> ServerCall::ask_in_task(const Context& ctx, InputRequests requests) {
    const TaskPtr task = task_;
    InputRequests open;
    for (const auto& request : requests) {
        if (!task->answers.contains(request.first)) open.push_back(request);
    }
    if (!open.empty()) table_->ask(*task, open);
    InputResponses answers;
    for (const auto& request : requests) {
        const Json* answer = nullptr;
        while ((answer = task->answers.find(request.first)) == nullptr) {
            if (task->over()) co_return fail(ErrorCode::kCancelled, "the task was cancelled");
            GANTRY_CO_CHECK(co_await task->changed.wait(ctx));
        }
        answers.set(request.first, *answer);
    }
    co_return answers;
}

Task<Result<Json>> ServerCall::ask_on_line(const Context& ctx, std::string key, InputRequest request) {
    GANTRY_CO_TRY(const Question question, question_for(request, *peer_));
    auto text = co_await line_->ask(ctx, question.method, question.params.dump());
    if (!text) {
        // The client's error concerns our question; it is not an answer to its own request.
        if (text.error().code() != ErrorCode::kRpc) co_return fail(text.error());
        co_return fail(Error(ErrorCode::kUnsupported, "the client refused " + std::string(name_of(request)))
                           .caused_by(text.error()));
    }
    co_return answer_from(key, request, *text, peer_->revision);
}

Task<void> ServerCall::ask_into(Context ctx, std::string key, InputRequest request,
                                std::optional<Result<Json>>& answer) {
    answer = co_await ask_on_line(ctx, std::move(key), std::move(request));
}

Task<Result<InputResponses>> ServerCall::ask_all(const Context& ctx, InputRequests requests) {
    for (const auto& [key, request] : requests) GANTRY_CO_CHECK(may_ask(request));
    if (asking_ == Asking::kByRounds) co_return ask_by_rounds(std::move(requests));
    if (asking_ == Asking::kInTask) co_return co_await ask_in_task(ctx, std::move(requests));

    std::vector<std::optional<Result<Json>>> answers(requests.size());
    Scope scope(ctx);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        scope.spawn(ask_into(scope.context(), requests[i].first, requests[i].second, answers[i]));
    }
    co_await scope.join();
    InputResponses all;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (!*answers[i]) co_return fail(answers[i]->error());
        all.set(requests[i].first, **std::move(answers[i]));
    }
    co_return all;
}

Task<Result<Json>> ServerCall::ask(const Context& ctx, std::string key, InputRequest request) {
    if (asking_ == Asking::kOnLine) {
        GANTRY_CO_CHECK(may_ask(request));
        co_return co_await ask_on_line(ctx, std::move(key), std::move(request));
    }
    InputRequests one;
    one.emplace_back(key, std::move(request));
    GANTRY_CO_TRY(InputResponses answers, co_await ask_all(ctx, std::move(one)));
    co_return std::move(*answers.find(key));
}

template <class T>
Result<T> ServerCall::read_answer(const InputResponses& answers, std::string_view key) const {
    const Json* answer = answers.find(key);
    if (answer == nullptr) return fail(ErrorCode::kNotFound, "nothing was asked under that key");
    return decode<T>(*answer, peer_->revision);
}
template Result<ElicitResult> ServerCall::read_answer(const InputResponses&, std::string_view) const;
template Result<CreateMessageResult> ServerCall::read_answer(const InputResponses&, std::string_view) const;
template Result<ListRootsResult> ServerCall::read_answer(const InputResponses&, std::string_view) const;

Task<Result<ElicitResult>> ServerCall::elicit(const Context& ctx, std::string key, ElicitParams params) {
    GANTRY_CO_TRY(const Json answer, co_await ask(ctx, std::move(key), std::move(params)));
    co_return decode<ElicitResult>(answer, peer_->revision);
}

Task<Result<CreateMessageResult>> ServerCall::sample(const Context& ctx, std::string key, CreateMessageParams params) {
    GANTRY_CO_TRY(const Json answer, co_await ask(ctx, std::move(key), std::move(params)));
    co_return decode<CreateMessageResult>(answer, peer_->revision);
}

Task<Result<std::vector<Root>>> ServerCall::roots(const Context& ctx, std::string key) {
    GANTRY_CO_TRY(const Json answer, co_await ask(ctx, std::move(key), ListRootsInput{}));
    GANTRY_CO_TRY(ListRootsResult result, decode<ListRootsResult>(answer, peer_->revision));
    co_return std::move(result.roots);
}

Result<bool> ServerCall::become_task(std::string status_message) {
    if (task_) {
        if (!status_message.empty()) table_->say(*task_, std::move(status_message));
        return true;
    }
    if (!make_task_) return fail(ErrorCode::kInvalidArgument, "only a tool declared with task support becomes a task");
    return make_task_(std::move(status_message));
}

}  // namespace gantry::mcp
