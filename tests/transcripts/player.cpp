#include "transcripts/player.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <memory>
#include <optional>

#include "io/loop.hpp"
#include "io/scope.hpp"
#include "mcp/client/client.hpp"
#include "mcp/transport/memory.hpp"

namespace gantry::mcp::testing {
namespace {

Context watchdog() {
    return Context::background().within(seconds(60));
}

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

/// Something the program does and how it ended, as the transcript spells it.
struct Action {
    std::string words;
    CancelSource stop;
    std::optional<std::string> outcome;
    std::vector<std::string> progress;
};

template <class T>
std::string failure(const Result<T>& result) {
    const Error& error = result.error();
    std::string text = "error " + std::string(to_string(error.code()));
    if (error.rpc() != nullptr) text += " " + std::to_string(error.rpc()->code);
    return text;
}

class Player {
public:
    Player() : scope_(watchdog()) {
        ClientSettings settings;
        settings.self = {.name = "transcript", .version = "1"};
        settings.handlers.elicit = [](const Context&, ElicitParams params) { return elicit(std::move(params)); };
        settings.handlers.elicit_by_url = true;
        settings.handlers.sample = [](const Context&, const CreateMessageParams&) { return sample(); };
        settings.handlers.roots = [](const Context&) { return roots(); };
        settings.handlers.on_resource_updated = [this](const std::string& uri) { hear("updated " + uri); };
        settings.handlers.on_log = [this](const LogMessage& message) { hear("log " + message.data.dump()); };
        auto transport =
            std::make_unique<MemoryTransport>([this](std::unique_ptr<Connection> end) { server_ = std::move(end); });
        client_ = std::make_unique<Client>(
            Route{.transport = std::move(transport), .wire = Wire::kPipe, .http_sse = nullptr}, std::move(settings));
    }

    Task<bool> line(const Line& line) {
        switch (line.mark) {
            case '*': co_return start(line.text);
            case '>': co_return co_await expect_sent(line.text);
            case '<': co_return co_await say(line.text);
            case '=': co_return co_await expect_outcome(line.text);
            default: ADD_FAILURE() << "a line starts with *, >, <, = or #"; co_return false;
        }
    }

    Task<void> end() {
        for (auto& action : actions_) action->stop.cancel();
        co_await client_->close();
        co_await scope_.join();
        client_.reset();
        if (server_) co_await server_->close();
    }

private:
    void hear(std::string what) {
        heard_.push_back(std::move(what));
        changed_.pulse();
    }

    bool start(const std::string& words) {
        if (words == "cancel") {
            actions_.front()->stop.cancel();
            return true;
        }
        if (words.starts_with("hear")) {
            auto action = std::make_shared<Action>();
            action->words = words;
            actions_.push_back(action);
            scope_.spawn(listen(action));
            return true;
        }
        actions_.push_back(std::make_shared<Action>());
        actions_.back()->words = words;
        scope_.spawn(run(actions_.back()));
        return true;
    }

    Task<void> listen(std::shared_ptr<Action> action) {
        while (heard_.empty()) {
            if (!co_await changed_.wait(scope_.context())) co_return;
        }
        action->outcome = heard_.front();
        heard_.pop_front();
        changed_.pulse();
    }

    Task<void> run(std::shared_ptr<Action> action) {
        const Context ctx = scope_.context().stopped_by(action->stop);
        action->outcome = co_await perform(ctx, *action);
        changed_.pulse();
    }

    Task<std::string> perform(const Context& ctx, Action& action) {
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
        Result<void> done = fail(ErrorCode::kInvalidArgument, "the player does not know " + verb);
        if (verb == "ping") done = co_await client_->ping(ctx);
        if (verb == "subscribe") done = co_await client_->subscribe(ctx, operand);
        if (verb == "unsubscribe") done = co_await client_->unsubscribe(ctx, operand);
        if (verb == "log-level") done = co_await client_->set_log_level(ctx, LogLevel::kWarning);
        co_return done ? "ok" : failure(done);
    }

    Task<std::string> call(const Context& ctx, std::string operand, Action& action) {
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

    Task<bool> expect_sent(const std::string& text) {
        const auto expected = Json::parse(text);
        if (!expected) {
            ADD_FAILURE() << expected.error().to_string();
            co_return false;
        }
        const Context ctx = watchdog();
        while (!server_) {
            if (!ctx.check()) co_return false;
            co_await yield_now();
        }
        auto got = co_await server_->read(ctx);
        if (!got || !*got) {
            ADD_FAILURE() << "the client sent nothing";
            co_return false;
        }
        const auto sent = Json::parse(encode_message((*got)->message));
        if (!sent || !(*sent == *expected)) {
            ADD_FAILURE() << "sent     " << sent->dump() << "\nexpected " << expected->dump();
            co_return false;
        }
        co_return true;
    }

    Task<bool> say(const std::string& text) {
        auto message = decode_message(text);
        if (!message) {
            ADD_FAILURE() << message.error().to_string();
            co_return false;
        }
        auto written = co_await server_->write(watchdog(), {.message = *std::move(message)});
        co_return written.has_value();
    }

    Task<bool> expect_outcome(const std::string& text) {
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

    std::unique_ptr<Client> client_;
    std::unique_ptr<Connection> server_;
    std::deque<std::shared_ptr<Action>> actions_;
    std::deque<std::string> heard_;
    Event changed_;
    Scope scope_;
};

}  // namespace

std::vector<Line> read_transcript(const std::string& path) {
    std::ifstream file(path);
    if (!file) ADD_FAILURE() << "cannot read " << path;
    std::vector<Line> lines;
    std::string text;
    for (int number = 1; std::getline(file, text); ++number) {
        if (text.empty() || text[0] == '#') continue;
        if (text.size() < 2 || text[1] != ' ') {
            ADD_FAILURE() << path << ":" << number << ": a mark and a blank start every line";
            continue;
        }
        lines.push_back({.number = number, .mark = text[0], .text = text.substr(2)});
    }
    return lines;
}

Task<void> play(std::vector<Line> lines) {
    Player player;
    for (const Line& line : lines) {
        SCOPED_TRACE("line " + std::to_string(line.number));
        if (!co_await player.line(line)) break;
    }
    co_await player.end();
}

}  // namespace gantry::mcp::testing
