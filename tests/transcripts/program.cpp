#include "transcripts/program.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace gantry::mcp::testing {
namespace {

Task<Result<ElicitResult>> elicit(ElicitParams params) {
    ElicitResult result;
    result.action = ElicitAction::kAccept;
    if (params.mode == ElicitMode::kForm) result.content = JsonObject{{"name", "Ada"}};
    co_return result;
}
Task<Result<CreateMessageResult>> sample() {
    CreateMessageResult result;
    result.model = "small";
    TextContent text;
    text.text = "Paris";
    result.content.emplace_back(std::move(text));
    co_return result;
}
Task<Result<std::vector<Root>>> roots() {
    Root root;
    root.uri = "file:///srv";
    co_return std::vector{root};
}

template <class T>
std::string failure(const Result<T>& result) {
    const Error& error = result.error();
    std::string text = "error " + std::string(to_string(error.code()));
    if (error.rpc() != nullptr) text += " " + std::to_string(error.rpc()->code);
    return text;
}

ClientSettings settings_of_the_program() {
    ClientSettings settings;
    settings.self = {.name = "transcript", .version = "1"};
    settings.handlers.elicit = [](const Context&, ElicitParams params) { return elicit(std::move(params)); };
    settings.handlers.elicit_by_url = true;
    settings.handlers.sample = [](const Context&, const CreateMessageParams&) { return sample(); };
    settings.handlers.roots = [](const Context&) { return roots(); };
    return settings;
}

}  // namespace

Program::Program(Route route) : scope_(watchdog()) {
    ClientSettings settings = settings_of_the_program();
    settings.handlers.on_resource_updated = [this](const std::string& uri) { hear("updated " + uri); };
    settings.handlers.on_log = [this](const LogMessage& message) { hear("log " + message.data.dump()); };
    client_ = std::make_unique<Client>(std::move(route), std::move(settings));
}

Task<void> Program::end() {
    for (auto& action : actions_) action->stop.cancel();
    co_await client_->close();
    co_await scope_.join();
    client_.reset();
}

void Program::hear(std::string what) {
    heard_.push_back(std::move(what));
    changed_.pulse();
}

bool Program::start(const std::string& words) {
    if (words == "cancel") {
        actions_.front()->stop.cancel();
        return true;
    }
    auto action = std::make_shared<Action>();
    action->words = words;
    actions_.push_back(action);
    scope_.spawn(words == "hear" ? listen(action) : run(action));
    return true;
}

Task<void> Program::listen(std::shared_ptr<Action> action) {
    while (heard_.empty()) {
        if (!co_await changed_.wait(scope_.context())) co_return;
    }
    action->outcome = heard_.front();
    heard_.pop_front();
    changed_.pulse();
}

Task<void> Program::run(std::shared_ptr<Action> action) {
    const Context ctx = scope_.context().stopped_by(action->stop);
    action->outcome = co_await perform(ctx, *action);
    changed_.pulse();
}

Task<std::string> Program::perform(const Context& ctx, Action& action) {
    const auto space = action.words.find(' ');
    const std::string verb = action.words.substr(0, space);
    std::string operand = space == std::string::npos ? "" : action.words.substr(space + 1);
    if (verb == "connect") {
        auto done = co_await client_->connect(ctx);
        co_return done ? "ok " + std::string(to_string(client_->server().revision)) : failure(done);
    }
    if (verb == "tools") {
        auto tools = co_await client_->list_tools(ctx);
        if (!tools) co_return failure(tools);
        std::string names;
        for (const Tool& tool : *tools) names += (names.empty() ? "" : " ") + tool.name;
        co_return names;
    }
    if (verb == "call") co_return co_await call(ctx, operand, action);
    if (verb == "read") {
        auto read = co_await client_->read_resource(ctx, operand);
        co_return read ? std::to_string(read->contents.size()) + " part" : failure(read);
    }
    if (verb == "prompt") {
        GetPromptParams params;
        params.name = operand;
        auto prompt = co_await client_->get_prompt(ctx, params);
        co_return prompt ? std::to_string(prompt->messages.size()) + " message" : failure(prompt);
    }
    if (verb == "close") {
        co_await client_->close();
        co_return "ok";
    }
    Result<void> done = fail(ErrorCode::kInvalidArgument, "the player does not know " + verb);
    if (verb == "ping") done = co_await client_->ping(ctx);
    if (verb == "subscribe") done = co_await client_->subscribe(ctx, operand);
    if (verb == "unsubscribe") done = co_await client_->unsubscribe(ctx, operand);
    if (verb == "log-level") done = co_await client_->set_log_level(ctx, LogLevel::kWarning);
    co_return done ? "ok" : failure(done);
}

Task<std::string> Program::call(const Context& ctx, std::string operand, Action& action) {
    const auto space = operand.find(' ');
    JsonObject arguments;
    if (space != std::string::npos) {
        auto json = Json::parse(operand.substr(space + 1));
        if (!json || !json->is_object()) co_return "the arguments are no JSON object";
        arguments = *json->if_object();
    }
    CallSettings settings;
    if (operand.starts_with("slow")) {
        settings.on_progress = [&action](const Progress& progress) {
            action.progress.push_back(std::to_string(static_cast<int>(progress.progress)));
        };
    }
    auto result = co_await client_->call_tool(ctx, operand.substr(0, space), std::move(arguments), settings);
    if (!result) co_return failure(result);
    std::string text;
    for (const std::string& step : action.progress) text += step + "… ";
    co_return text + (result->is_error ? "failed: " : "") + result->text();
}

Task<bool> Program::expect_outcome(const std::string& text) {
    if (actions_.empty()) {
        ADD_FAILURE() << "nothing was started";
        co_return false;
    }
    const std::shared_ptr<Action> action = actions_.front();
    actions_.pop_front();
    const Context ctx = watchdog();
    while (!action->outcome) {
        if (!co_await changed_.wait(ctx)) {
            ADD_FAILURE() << "'" << action->words << "' did not end";
            co_return false;
        }
    }
    EXPECT_EQ(*action->outcome, text) << action->words;
    co_return *action->outcome == text;
}

}  // namespace gantry::mcp::testing
