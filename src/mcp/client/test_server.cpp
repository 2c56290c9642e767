#include "mcp/client/test_server.hpp"

#include <algorithm>
#include <utility>

#include "mcp/protocol/errors.hpp"

namespace gantry::mcp::testing {

class TestTransport final : public Transport {
public:
    explicit TestTransport(TestServer& server)
        : server_(server), memory_([&server](std::unique_ptr<Connection> end) { server.accept(std::move(end)); }) {}

    Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) override {
        ++server_.connects;
        server_.wake();
        if (server_.refuse > 0) {
            --server_.refuse;
            return refused();
        }
        return memory_.connect(ctx);
    }
    std::string describe() const override { return "test server"; }

private:
    static Task<Result<std::unique_ptr<Connection>>> refused() {
        co_return fail(ErrorCode::kConnection, "refused for the test");
    }

    TestServer& server_;
    MemoryTransport memory_;
};

std::string Heard::text(const std::string& pointer) const {
    const Json* found = params.at_pointer(pointer);
    return found != nullptr && found->is_string() ? *found->if_string() : std::string();
}

TestServer::TestServer(Revision spoken) : revision(spoken), scope_(Context::background()) {
    capabilities.set("tools", JsonObject{});
}

void TestServer::reply(std::string method, Json result) {
    on(std::move(method), [result](const Heard&) { return std::optional<Answer>(result); });
}

void TestServer::reply_error(std::string method, std::int64_t code, std::string message, std::string data) {
    on(std::move(method), [=](const Heard&) {
        return std::optional<Answer>(std::unexpected(RpcError{.code = code, .message = message, .data = data}));
    });
}

void TestServer::die_on(std::string method) {
    on(std::move(method), [this](const Heard&) {
        scope_.spawn(hang_up());
        return std::optional<Answer>();
    });
}

void TestServer::ignore(std::string method) {
    on(std::move(method), [](const Heard&) { return std::optional<Answer>(); });
}

std::size_t TestServer::count(const std::string& method) const {
    return static_cast<std::size_t>(std::ranges::count(heard, method, &Heard::method));
}

Task<bool> TestServer::until(std::function<bool()> condition) {
    const Context ctx = watchdog();
    while (!condition()) {
        if (!co_await changed_.wait(ctx)) co_return false;
    }
    co_return true;
}

Task<Heard> TestServer::nth(std::string method, std::size_t n) {
    if (!co_await until([this, &method, n] { return count(method) > n; })) {
        ADD_FAILURE() << "the client never sent " << method;
        co_return Heard{};
    }
    for (const Heard& one : heard) {
        if (one.method == method && n-- == 0) co_return one;
    }
    co_return Heard{};
}

void TestServer::accept(std::unique_ptr<Connection> end) {
    current_ = std::move(end);
    all_.push_back(current_);
    scope_.spawn(serve(current_, static_cast<int>(all_.size())));
}

Task<void> TestServer::serve(std::shared_ptr<Connection> connection, int number) {
    for (;;) {
        auto incoming = co_await connection->read(scope_.context());
        if (!incoming || !*incoming) break;
        Message& message = (*incoming)->message;
        if (auto* request = std::get_if<RequestMessage>(&message)) {
            heard.push_back({request->method, request->params, request->id, number});
            // Awaited here, so that answers keep the order of the requests unless a handler delays one.
            co_await respond(connection, heard.back());
        } else if (auto* note = std::get_if<NotificationMessage>(&message)) {
            heard.push_back({note->method, note->params, std::nullopt, number});
        } else if (auto* response = std::get_if<ResponseMessage>(&message); response->id) {
            answers_.emplace(to_text(*response->id), response->outcome);
        }
        wake();
    }
    wake();
}

std::optional<TestServer::Answer> TestServer::know(const Heard& request) {
    const JsonObject info{{"name", "test"}, {"version", "1"}};
    if (request.method == "ping") return Json(JsonObject{});
    if (!is_modern(revision) && request.method == "initialize") {
        return Json(JsonObject{{"protocolVersion", to_string(revision)},
                               {"capabilities", capabilities},
                               {"serverInfo", info},
                               {"instructions", "be kind"}});
    }
    if (is_modern(revision) && request.method == "server/discover") {
        return Json(JsonObject{{"resultType", "complete"},
                               {"supportedVersions", JsonArray{to_string(revision)}},
                               {"capabilities", capabilities},
                               {"instructions", "be kind"},
                               {"ttlMs", 0},
                               {"cacheScope", "private"},
                               {"_meta", JsonObject{{"io.modelcontextprotocol/serverInfo", info}}}});
    }
    return std::unexpected(method_not_found(request.method));
}

Task<void> TestServer::respond(std::shared_ptr<Connection> connection, Heard request) {
    const auto found = handlers_.find(request.method);
    if (found == handlers_.end() && is_modern(revision) && request.method == "subscriptions/listen") {
        const Json* filter = request.params.find("notifications");
        JsonObject meta{{"io.modelcontextprotocol/subscriptionId", to_json(*request.id)}};
        co_await notify("notifications/subscriptions/acknowledged",
                        JsonObject{{"_meta", meta}, {"notifications", filter != nullptr ? *filter : JsonObject{}}});
        co_return;
    }
    auto answer = found != handlers_.end() ? found->second(request) : know(request);
    if (!answer) co_return;
    (void)co_await connection->write(watchdog(), {.message = ResponseMessage{request.id, *std::move(answer)}});
}

Task<void> TestServer::write(Message message) {
    const std::shared_ptr<Connection> connection = current_;
    (void)co_await connection->write(watchdog(), {.message = std::move(message)});
}

Task<void> TestServer::answer(RequestId id, Json result) {
    return write(ResponseMessage{std::move(id), std::move(result)});
}

Task<void> TestServer::answer_without_id(RpcError error) {
    return write(ResponseMessage{std::nullopt, std::unexpected(std::move(error))});
}

Task<void> TestServer::notify(std::string method, Json params) {
    return write(NotificationMessage{std::move(method), std::move(params)});
}

Task<TestServer::Answer> TestServer::ask(std::string method, Json params) {
    const std::string key = to_text(co_await post(std::move(method), std::move(params)));
    if (!co_await until([this, &key] { return answers_.contains(key); })) {
        co_return std::unexpected(RpcError{.code = 0, .message = "the client never answered", .data = {}});
    }
    co_return answers_.at(key);
}

Task<RequestId> TestServer::post(std::string method, Json params) {
    const RequestId id("s" + std::to_string(++asked_));
    co_await write(RequestMessage{id, std::move(method), std::move(params)});
    co_return id;
}

bool TestServer::answered(const RequestId& id) const {
    return answers_.contains(to_text(id));
}

Task<void> TestServer::hang_up() {
    const std::shared_ptr<Connection> connection = current_;
    co_await connection->close();
}

std::unique_ptr<Transport> TestServer::transport() {
    return std::make_unique<TestTransport>(*this);
}

Task<void> TestServer::close() {
    for (const auto& connection : all_) co_await connection->close();
    co_await scope_.join();
}

void Rig::make() {
    if (settings.reconnect_first == ClientSettings{}.reconnect_first) settings.reconnect_first = milliseconds(1);
    settings.handlers.on_oddity = [this](const Error& error) {
        oddities.push_back(error.message());
        server.wake();
    };
    client = std::make_unique<Client>(Route{.transport = server.transport(), .wire = wire, .http_sse = nullptr},
                                      std::move(settings));
    client->watch([this](ConnectionState state) {
        states.push_back(state);
        server.wake();
    });
}

Task<Result<void>> Rig::connect() {
    make();
    co_return co_await client->connect(watchdog());
}

Task<void> Rig::end() {
    if (client) co_await client->close();
    co_await server.close();
    client.reset();
}

namespace {

Task<void> drive(Revision revision, Task<void> (*body)(Rig&), bool connect) {
    Rig rig(revision);
    bool ready = true;
    if (connect) {
        auto connected = co_await rig.connect();
        ready = connected.has_value();
        if (!ready) ADD_FAILURE() << connected.error().to_string();
    }
    if (ready) co_await body(rig);
    co_await rig.end();
}

}  // namespace

void run(Revision revision, Task<void> (*body)(Rig& rig), bool connect) {
    Loop loop;
    loop.run_until_done(drive(revision, body, connect));
}

Json parse(std::string_view text) {
    auto json = Json::parse(text);
    if (!json) {
        ADD_FAILURE() << json.error().to_string();
        return {};
    }
    return *std::move(json);
}

Json said(std::string text) {
    return JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", std::move(text)}}}}};
}

Task<void> run_call(Rig& rig, std::string tool, std::shared_ptr<Running> running) {
    const Context ctx = watchdog().stopped_by(running->stop);
    running->result = co_await rig.client->call_tool(ctx, std::move(tool), {}, running->settings);
    rig.server.wake();
}

}  // namespace gantry::mcp::testing
