#include "gateway/sources/mcp/test_rig.hpp"

#include <algorithm>

#include "gateway/runtime/snapshot.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway::testing {

class ScriptTransport final : public mcp::Transport {
public:
    explicit ScriptTransport(Script& script)
        : script_(script),
          memory_([&script](std::unique_ptr<mcp::Connection> end) { script.accept(std::move(end)); }) {}

    Task<Result<std::unique_ptr<mcp::Connection>>> connect(const Context& ctx) override {
        ++script_.connecting;
        if (script_.refuse != 0) {
            if (script_.refuse > 0) --script_.refuse;
            return refused();
        }
        return memory_.connect(ctx);
    }
    std::string describe() const override { return "script"; }

private:
    static Task<Result<std::unique_ptr<mcp::Connection>>> refused() {
        co_return fail(ErrorCode::kConnection, "refused for the test");
    }
    Script& script_;
    mcp::MemoryTransport memory_;
};

Task<std::string> Peer::post(std::string method, Json params) {
    const std::string id = "s" + std::to_string(number) + "." + std::to_string(++asked);
    (void)co_await connection->write(
        watchdog(),
        {.message = mcp::RequestMessage{.id = id, .method = std::move(method), .params = std::move(params)}});
    co_return mcp::to_text(mcp::RequestId(id));
}

Task<std::expected<Json, RpcError>> Peer::ask(std::string method, Json params) {
    const std::string id = co_await post(std::move(method), std::move(params));
    if (!co_await script.until([this, &id] { return answers.contains(id) || !open; }) || !answers.contains(id)) {
        co_return std::unexpected(RpcError{.code = 0, .message = "nobody answered", .data = {}});
    }
    co_return answers.at(id);
}

Task<void> Peer::notify(std::string method, Json params) {
    (void)co_await connection->write(
        watchdog(), {.message = mcp::NotificationMessage{.method = std::move(method), .params = std::move(params)}});
}

Script::Script(mcp::Revision spoken) : revision(spoken), scope_(Context::background()) {
    capabilities.set("tools", JsonObject{{"listChanged", true}});
}

void Script::tool(std::string name, Handler handler, JsonObject more) {
    JsonObject definition{{"name", name}, {"inputSchema", JsonObject{{"type", "object"}}}};
    for (const auto& [key, value] : more) definition.set(key, value);
    tools.push_back(std::move(definition));
    tool_handlers_[std::move(name)] = std::move(handler);
}

namespace {

Task<Script::Answer> fixed(Json result) {
    co_return result;
}

}  // namespace

void Script::reply(std::string method, Json result) {
    on(std::move(method), [result](PeerPtr, ReceivedRequest) { return fixed(result); });
}

std::size_t Script::count(const std::string& method) const {
    return static_cast<std::size_t>(std::ranges::count(heard, method));
}

std::size_t Script::open_peers() const {
    return static_cast<std::size_t>(std::ranges::count_if(peers, [](const PeerPtr& peer) { return peer->open; }));
}

Task<bool> Script::until(std::function<bool()> condition) {
    const Context ctx = watchdog();
    while (!condition()) {
        if (!co_await sleep_for(ctx, milliseconds(1))) co_return false;
    }
    co_return true;
}

void Script::accept(std::unique_ptr<mcp::Connection> end) {
    peers.push_back(std::make_shared<Peer>(*this, static_cast<int>(peers.size()), std::move(end)));
    scope_.spawn(serve(peers.back()));
}

Task<void> Script::serve(PeerPtr peer) {
    for (;;) {
        auto incoming = co_await peer->connection->read(scope_.context());
        if (!incoming || !*incoming) break;
        mcp::Message& message = (*incoming)->message;
        if (auto* request = std::get_if<mcp::RequestMessage>(&message)) {
            heard.push_back(request->method);
            peer->heard.push_back(request->method);
            ReceivedRequest asked{.method = request->method, .params = request->params, .id = request->id};
            last.insert_or_assign(request->method, asked);
            scope_.spawn(respond(peer, std::move(asked)));
        } else if (auto* note = std::get_if<mcp::NotificationMessage>(&message)) {
            heard.push_back(note->method);
            peer->heard.push_back(note->method);
        } else if (auto* response = std::get_if<mcp::ResponseMessage>(&message); response->id) {
            peer->answers.emplace(mcp::to_text(*response->id), response->outcome);
        }
    }
    peer->open = false;
    co_await peer->connection->close();
}

Task<void> Script::respond(PeerPtr peer, ReceivedRequest asked) {
    const mcp::RequestId id = asked.id;
    auto result = co_await answer(peer, std::move(asked));
    if (!peer->open) co_return;
    (void)co_await peer->connection->write(watchdog(), {.message = mcp::ResponseMessage{id, std::move(result)}});
}

Task<Script::Answer> Script::answer(PeerPtr peer, ReceivedRequest asked) {
    const JsonObject info{{"name", "script"}, {"version", "1"}};
    const bool opens_legacy = both_eras && (asked.method == "initialize" || !peer->capabilities.is_null());
    const bool modern = mcp::is_modern(revision) && !opens_legacy;
    if (const auto found = handlers_.find(asked.method); found != handlers_.end()) {
        co_return co_await found->second(peer, std::move(asked));
    }
    if (asked.method == "tools/call") {
        const auto found = tool_handlers_.find(asked.text("/name"));
        if (found == tool_handlers_.end()) co_return std::unexpected(mcp::invalid_params("unknown tool"));
        co_return co_await found->second(peer, std::move(asked));
    }
    if (asked.method == "ping") co_return Json(JsonObject{});
    if (!modern && asked.method == "initialize") {
        if (const Json* declared = asked.params.find("capabilities")) peer->capabilities = *declared;
        const mcp::Revision agreed = opens_legacy ? mcp::kLatestLegacyRevision : revision;
        co_return Json(JsonObject{{"protocolVersion", mcp::to_string(agreed)},
                                  {"capabilities", capabilities},
                                  {"serverInfo", info},
                                  {"instructions", "be kind"}});
    }
    if (modern && asked.method == "server/discover") {
        co_return Json(JsonObject{{"resultType", "complete"},
                                  {"supportedVersions", JsonArray{mcp::to_string(revision)}},
                                  {"capabilities", capabilities},
                                  {"ttlMs", 0},
                                  {"cacheScope", "private"},
                                  {"_meta", JsonObject{{"io.modelcontextprotocol/serverInfo", info}}}});
    }
    if (asked.method == "tools/list") {
        JsonArray all = tools;
        if (more_tools) {
            for (Json& tool : more_tools(*peer)) all.push_back(std::move(tool));
        }
        JsonObject page{{"tools", std::move(all)}};
        if (modern) {
            page.set("resultType", "complete");
            page.set("ttlMs", 5000);
            page.set("cacheScope", "public");
        }
        co_return Json(std::move(page));
    }
    if (modern && asked.method == "subscriptions/listen") {
        const Json* filter = asked.params.find("notifications");
        JsonObject meta{{"io.modelcontextprotocol/subscriptionId", mcp::to_json(asked.id)}};
        co_await peer->notify(
            "notifications/subscriptions/acknowledged",
            JsonObject{{"_meta", meta}, {"notifications", filter != nullptr ? *filter : JsonObject{}}});
        (void)co_await until([&peer] { return !peer->open; });
        co_return Json(JsonObject{});
    }
    if (asked.method == "logging/setLevel") co_return Json(JsonObject{});
    co_return std::unexpected(mcp::method_not_found(asked.method));
}

std::unique_ptr<mcp::Transport> Script::transport() {
    return std::make_unique<ScriptTransport>(*this);
}

Task<void> Script::close() {
    gate = true;
    for (const PeerPtr& peer : peers) co_await peer->connection->close();
    co_await scope_.join();
}

Task<Result<std::string>> Line::ask(const Context& ctx, std::string_view method, std::string params) {
    questions.emplace_back(method, std::move(params));
    if (answer.empty()) {
        Event never;
        auto waited = co_await never.wait(ctx);
        co_return fail(waited.error());
    }
    co_return answer;
}

Caller::Caller(std::string id, mcp::Revision revision, std::string capabilities, std::string session)
    : principal(std::make_shared<const Principal>(Principal{.id = std::move(id)})) {
    traits.revision = revision;
    traits.capabilities = *mcp::decode<mcp::ClientCapabilities>(parse(capabilities), revision);
    traits.capabilities_text = std::move(capabilities);
    traits.session = std::move(session);
}

Rig::Rig(Loop& on, mcp::Revision revision) : loop(on), server(revision), scope(Context::background()) {
    spec.name = "scripted";
    options.grace = seconds(30);
    options.retry_first = milliseconds(5);
    options.route = [this]() -> Result<mcp::Route> {
        return mcp::Route{.transport = server.transport(), .wire = wire, .http_sse = nullptr, .identity = {}};
    };
    options.on_problem = [this](const std::string&, const std::string& what) { problems.push_back(what); };
}

void Rig::make() {
    source = std::make_shared<McpSource>(loop, spec, options);
    source->watch([this](const SourceChange& change) { changes.push_back(change); });
}

Task<bool> Rig::start() {
    make();
    source->start();
    const bool ready = co_await until([this] { return source->state() == SourceState::kReady; });
    if (!ready) ADD_FAILURE() << "the source is not ready: " << source->trouble();
    co_return ready;
}

ItemPtr Rig::item(std::string_view name) const {
    for (const ItemPtr& one : source->inventory()->items) {
        if (one->name == name) return one;
    }
    return nullptr;
}

Task<Result<Output>> Rig::call(Caller& caller, std::string own_name, CallWith with) {
    const std::string public_name = with.public_name.empty() ? own_name : with.public_name;
    const char* member = with.verb == Verb::kReadResource ? "uri" : "name";
    std::string text = std::string("{\"") + member + "\":" + Json(public_name).dump();
    if (with.verb == Verb::kCallTool || with.verb == Verb::kGetPrompt) text += ",\"arguments\":" + with.arguments;
    if (!with.responses.empty()) text += ",\"inputResponses\":" + with.responses;
    if (with.state && caller.traits.modern()) text += R"(,"requestState":"sealed by the gateway")";
    if (!with.more.empty()) text += "," + with.more;
    text += "}";
    auto params = OwnParams::read(text);
    if (!params) co_return fail(params.error());
    // A source never looks into the snapshot.
    const SnapshotPtr nothing = make_snapshot(nullptr, nullptr, nullptr);
    const ItemPtr called = with.item ? with.item : item(own_name);
    const IncomingCall incoming{.verb = with.verb,
                                .name = public_name,
                                .params = params->text(),
                                .view = params->view(),
                                .client = caller.traits,
                                .snapshot = *nothing,
                                .correlation_id = with.correlation_id};
    ResolvedCall resolved{.identified = {.incoming = incoming, .principal = caller.principal},
                          .source = source.get(),
                          .item = called.get(),
                          .own_name = own_name,
                          .resume_state = with.state};
    const AdmittedCall admitted = Guard::admit(std::move(resolved));
    co_return co_await source->execute(with.ctx, admitted, caller.line);
}

namespace {

Task<void> into(Rig& rig, Caller& caller, std::string name, CallWith with, std::shared_ptr<Running> running) {
    with.ctx = watchdog().stopped_by(running->stop);
    running->output = co_await rig.call(caller, std::move(name), std::move(with));
}

Task<void> drive(Loop& loop, mcp::Revision revision, Task<void> (*body)(Rig& rig)) {
    Rig rig(loop, revision);
    co_await body(rig);
    co_await rig.end();
}

}  // namespace

std::shared_ptr<Running> Rig::begin(Caller& caller, std::string own_name, CallWith with) {
    auto running = std::make_shared<Running>();
    scope.spawn(into(*this, caller, std::move(own_name), std::move(with), running));
    return running;
}

Task<void> Rig::end() {
    if (source) co_await source->stop();
    co_await server.close();
    co_await scope.join();
    source.reset();
}

void run(mcp::Revision revision, Task<void> (*body)(Rig& rig)) {
    Loop loop;
    loop.run_until_done(drive(loop, revision, body));
}

Json parse(std::string_view text) {
    auto json = Json::parse(text);
    if (!json) {
        ADD_FAILURE() << json.error().to_string() << " in " << text;
        return {};
    }
    return *std::move(json);
}

Json said(std::string text) {
    return JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", std::move(text)}}}}};
}

std::string text_of(const Result<Output>& output) {
    if (!output) return "error: " + output.error().to_string();
    const Json result = parse(output->result());
    const Json* text = result.at_pointer("/content/0/text");
    return text != nullptr && text->is_string() ? *text->if_string() : result.dump();
}

std::string why(const Result<Output>& output) {
    return output ? "it worked: " + std::string(output->result()) : output.error().to_string();
}

std::int64_t code_of(const Result<Output>& output) {
    return output || output.error().rpc() == nullptr ? 0 : output.error().rpc()->code;
}

std::string key_of(const Output& output, std::size_t n) {
    const Json questions = parse(output.questions);
    for (const auto& [key, question] : *questions.if_object()) {
        if (n-- == 0) return key;
    }
    return {};
}

std::string accept_all(const Output& output, std::string name) {
    const Json questions = parse(output.questions);
    JsonObject answers;
    for (const auto& [key, question] : *questions.if_object()) {
        answers.set(key, JsonObject{{"action", "accept"}, {"content", JsonObject{{"name", name}}}});
    }
    return Json(std::move(answers)).dump();
}

Task<Script::Answer> greet(PeerPtr peer, ReceivedRequest) {
    auto answer =
        co_await peer->ask("elicitation/create", JsonObject{{"message", "What is your name?"},
                                                            {"requestedSchema", JsonObject{{"type", "object"}}},
                                                            {"_meta", JsonObject{{"progressToken", 7}}}});
    if (!answer) co_return said("refused " + std::to_string(answer.error().code));
    const Json* name = answer->at_pointer("/content/name");
    co_return said(std::string(answer->string_at("action")) + " " +
                   (name != nullptr ? std::string(*name->if_string()) : std::string("nobody")));
}

Task<Script::Answer> echo(PeerPtr, ReceivedRequest asked) {
    co_return said(asked.text("/arguments/word"));
}

Task<Script::Answer> wait_for_gate(PeerPtr peer, ReceivedRequest) {
    (void)co_await peer->script.until([&peer] { return peer->script.gate || !peer->open; });
    co_return said("through");
}

}  // namespace gantry::gateway::testing
