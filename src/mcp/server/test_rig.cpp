#include "mcp/server/test_rig.hpp"

#include <algorithm>
#include <cctype>

namespace gantry::mcp::testing {
namespace {

constexpr std::string_view kMeta =
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{})";

/// Many small pieces, then the end or an error.
class Pieces final : public AnswerStream {
public:
    Pieces(std::size_t count, bool breaks) : count_(count), breaks_(breaks) {}
    Task<Result<std::optional<std::string_view>>> next(const Context&) override {
        using Piece = std::optional<std::string_view>;
        if (sent_ < count_) {
            ++sent_;
            co_return Piece("0123456789\nabcde");
        }
        if (breaks_) co_return fail(ErrorCode::kConnection, "the source broke off");
        if (sent_ == count_) {
            ++sent_;
            co_return Piece("\"}}");
        }
        co_return Piece();
    }

private:
    std::size_t count_;
    bool breaks_;
    std::size_t sent_ = 0;
};

std::string notice(const std::string& text) {
    return R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":")" + text + "\"}}";
}

}  // namespace

class FakeWatch final : public Watch {
public:
    FakeWatch(FakeBackend& owner, Interest honoured, std::function<void(const Change&)> tell)
        : owner_(owner), honoured_(std::move(honoured)), tell_(std::move(tell)) {
        owner_.watches.insert(this);
        owner_.changed.pulse();
    }
    ~FakeWatch() override {
        owner_.watches.erase(this);
        owner_.changed.pulse();
    }
    const Interest& honoured() const noexcept override { return honoured_; }
    Task<Result<void>> add(const Context&, std::string uri) override {
        if (uri == "test://missing") co_return fail(ErrorCode::kNotFound, "no such resource");
        honoured_.uris.insert(uri);
        co_return Result<void>();
    }
    Task<void> remove(const Context&, std::string uri) override {
        honoured_.uris.erase(uri);
        co_return;
    }
    void tell(const Change& change) { tell_(change); }

private:
    FakeBackend& owner_;
    Interest honoured_;
    std::function<void(const Change&)> tell_;
};

Task<std::expected<std::shared_ptr<const Identity>, Refusal>> FakeBackend::identify(const Context& ctx,
                                                                                    const RequestOrigin& origin) {
    ++identities;
    if (!demands) co_return co_await Backend::identify(ctx, origin);
    const auto shown = origin.headers != nullptr ? origin.headers->get("authorization") : std::nullopt;
    if (!shown) co_return std::unexpected(Refusal{.message = "who are you?", .challenge = "Bearer realm=\"test\""});
    co_return std::make_shared<const Identity>(std::string(*shown));
}

Task<std::shared_ptr<const ServerProfile>> FakeBackend::profile(const Context& ctx, const Peer&) {
    while (slow_profile && !open && ctx.check()) (void)co_await changed.wait(ctx);
    co_return self;
}

void FakeBackend::heard(const Peer&, std::string_view method, const Json& params) {
    noted.push_back(std::string(method) + " " + params.dump());
    changed.pulse();
}

void FakeBackend::session_ended(const Peer& peer) {
    ended.push_back(peer.session);
    changed.pulse();
}

Task<Result<std::unique_ptr<Watch>>> FakeBackend::watch(const Context&, PeerPtr, Interest wanted,
                                                        std::function<void(const Change&)> tell) {
    std::erase_if(wanted.uris, [](const std::string& uri) { return uri == "test://missing"; });
    co_return std::make_unique<FakeWatch>(*this, std::move(wanted), std::move(tell));
}

void FakeBackend::change(const Change& change) {
    for (FakeWatch* watch : watches) watch->tell(change);
}

Task<bool> FakeBackend::until(bool (*condition)(FakeBackend&)) {
    const Context ctx = patiently();
    while (!condition(*this)) {
        if (!co_await changed.wait(ctx)) co_return false;
    }
    co_return true;
}

Task<Answer> FakeBackend::answer(const Context& ctx, const Call& call, ReplyChannel& line) {
    seen.push_back(std::string(call.method) + " " + std::string(to_string(call.peer->revision)));
    peers.push_back(call.peer);
    changed.pulse();
    if (call.method == "tools/list") {
        static const auto kList = std::make_shared<const std::string>(R"({"resultType":"complete","tools":[]})");
        co_return Answer::result(call, kList);
    }
    if (call.method == "tools/call") co_return co_await call_tool(ctx, call, line);
    if (call.method == "level") {
        const std::string level = call.log_level ? std::string(to_string(*call.log_level)) : "none";
        co_return Answer::result(call, Json(JsonObject{{"level", level}}));
    }
    co_return Answer::failure(call, RpcError{-32601, "method not found", ""});
}

Task<Answer> FakeBackend::call_tool(const Context& ctx, const Call& call, ReplyChannel& line) {
    const std::string name = call.view.in_params.name.text().value_or("");
    if (name == "progress") {
        (void)line.notify(notice("one"));
        (void)line.notify(notice("two"));
    } else if (name == "ask") {
        const auto said = co_await line.ask(ctx, "elicitation/create", R"({"message":"well?"})");
        const std::string text = said ? *said : std::string(to_string(said.error().code()));
        co_return Answer::result(call, Json(JsonObject{{"said", text}}));
    } else if (name == "wait" || name == "hang" || name == "chat" || name == "long" || name == "long broken") {
        const bool is_long = name.starts_with("long");
        if (name == "hang") line.hang_up(milliseconds(10));
        if (name == "chat" || is_long) (void)line.notify(notice("before"));
        ++waiting;
        changed.pulse();
        while (!open && ctx.check()) (void)co_await changed.wait(ctx);
        --waiting;
        changed.pulse();
        if (!ctx.check()) {
            ++cancelled;
            changed.pulse();
            co_return Answer();
        }
        if (name == "chat") (void)line.notify(notice("after"));
        if (is_long) {
            Answer answer;
            answer.message = R"({"jsonrpc":"2.0","id":)" + std::string(call.id()) + R"(,"result":{"text": ")";
            answer.rest = std::make_unique<Pieces>(kLongPieces, name == "long broken");
            co_return answer;
        }
    } else if (name == "stream" || name == "broken") {
        Answer answer;
        answer.message = R"({"jsonrpc":"2.0","id":)" + std::string(call.id()) + R"(,"result":{"text": ")";
        answer.rest = std::make_unique<Pieces>(1000, name == "broken");
        co_return answer;
    } else if (name == "chatty stream") {
        (void)line.notify(notice("one"));
        Answer answer;
        answer.message = R"({"jsonrpc":"2.0","id":)" + std::string(call.id()) + R"(,"result":{"text": ")";
        answer.rest = std::make_unique<Pieces>(10, false);
        co_return answer;
    } else if (name == "flood") {
        for (int i = 0; i < 2000; ++i) {
            if (!line.notify(notice(std::string(1000, 'x')))) ++dropped;
        }
        changed.pulse();
    } else if (name == "error") {
        const auto code = call.params().at_pointer("/arguments/code")->as_int().value_or(0);
        co_return Answer::failure(call, RpcError{code, "as you wished", ""});
    } else if (name == "throw away") {
        co_return Answer();
    }
    co_return Answer::result(call, std::string_view(R"({"resultType":"complete","content":[]})"));
}

std::string Reply::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "-" : found->second;
}

Json Reply::json() const {
    auto parsed = Json::parse(body);
    return parsed ? *std::move(parsed) : Json();
}

std::int64_t Reply::error() const {
    const Json parsed = json();
    const Json* code = parsed.at_pointer("/error/code");
    return code != nullptr ? code->as_int().value_or(0) : 0;
}

std::vector<Json> Reply::messages() const {
    sse::Parser parser;
    std::vector<Json> out;
    if (!parser.feed(body)) return out;
    while (auto event = parser.next()) {
        if (!event->data.empty()) out.push_back(Json::parse(event->data).value_or(Json("unreadable")));
    }
    return out;
}

Task<std::optional<sse::Event>> Events::next() {
    for (;;) {
        if (auto event = parser_.next()) {
            last_id = parser_.last_event_id();
            co_return event;
        }
        auto piece = co_await response_.read(patiently());
        if (!piece) broken_ = true;
        if (!piece || !*piece) co_return std::nullopt;
        if (!parser_.feed(**piece)) co_return std::nullopt;
    }
}

Task<Json> Events::message() {
    for (;;) {
        const auto event = co_await next();
        if (!event) co_return Json();
        if (!event->data.empty()) co_return Json::parse(event->data).value_or(Json(event->data));
    }
}

std::string modern_body(const std::string& id, const std::string& method, const std::string& params,
                        const std::string& meta) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{"_meta":{)" +
           std::string(kMeta) + meta + "}" + (params.empty() ? "" : "," + params) + "}}";
}

Fields modern_headers(const std::string& method, const std::string& params) {
    Fields fields{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
    const auto read = Json::parse("{" + params + "}");
    if (read && (method == "tools/call" || method == "prompts/get")) {
        fields.emplace_back("Mcp-Name", std::string(read->string_at("name")));
    }
    return fields;
}

std::string legacy_request(const std::string& id, const std::string& method, const std::string& params) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + "\"" +
           (params.empty() ? "" : ",\"params\":{" + params + "}") + "}";
}

std::string call(const std::string& tool, const std::string& arguments) {
    return R"("name":")" + tool + R"(","arguments":)" + arguments;
}

Rig::Rig(Loop& on, HttpEndpointOptions with)
    : loop(on),
      options(std::move(with)),
      sealer(*auth::Sealer::ephemeral()),
      endpoint(std::make_unique<HttpEndpoint>(options, sealer)),
      client(on, guard),
      server(on, {}, [this](const Context& ctx, http::Exchange& exchange) { return serve(ctx, exchange); }) {
    for (FakeBackend* one : {&backend, &other}) {
        one->self->self = {.name = "fake", .version = "1"};
        one->self->capabilities.tools = ListChangedCapability{.list_changed = true};
        one->self->capabilities.resources = ResourcesCapability{.subscribe = true, .list_changed = true};
        one->self->capabilities.logging = JsonObject{};
        one->self->instructions = "be kind";
    }
}

Task<void> Rig::serve(const Context& ctx, http::Exchange& exchange) {
    const std::string_view target = exchange.target();
    if (target == "/sse") return endpoint->handle_sse(ctx, exchange, backend, "/sse", "/messages");
    if (target.starts_with("/messages")) return endpoint->handle_sse_message(ctx, exchange);
    if (target == "/other") return endpoint->handle(ctx, exchange, other, "/other");
    return endpoint->handle(ctx, exchange, backend, "/mcp");
}

Task<Result<http::Response>> Rig::request(std::string method, std::string body, Fields headers, std::string path) {
    http::Request request;
    request.method = std::move(method);
    request.url = *Url::parse("http://127.0.0.1:" + std::to_string(server.port()) + path);
    request.body = std::move(body);
    const auto missing = [&](std::string_view name) {
        return std::ranges::none_of(headers, [&](const auto& one) { return one.first == name; });
    };
    if (missing("Content-Type") && !request.body.empty()) request.headers.add("Content-Type", "application/json");
    if (missing("Accept")) request.headers.add("Accept", "application/json, text/event-stream");
    if (!token.empty() && missing("Authorization")) request.headers.add("Authorization", token);
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    co_return co_await client.send(patiently(), std::move(request));
}

Task<Reply> Rig::send(std::string method, std::string body, Fields headers, std::string path) {
    auto response = co_await request(std::move(method), std::move(body), std::move(headers), std::move(path));
    Reply reply;
    if (!response) {
        reply.body = response.error().to_string();
        co_return reply;
    }
    reply.status = response->status();
    for (std::size_t i = 0; i < response->headers().size(); ++i) {
        std::string name(response->headers()[i].name);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        reply.headers[name] = response->headers()[i].value;
    }
    auto body_read = co_await response->read_all(patiently(), 64u << 20);
    reply.body = body_read ? *std::move(body_read) : "cut: " + body_read.error().to_string();
    co_return reply;
}

Task<std::optional<Events>> Rig::open(std::string method, std::string body, Fields headers, std::string path) {
    auto response = co_await request(std::move(method), std::move(body), std::move(headers), std::move(path));
    if (!response) co_return std::nullopt;
    co_return Events(*std::move(response));
}

Task<Reply> Rig::modern(std::string id, std::string method, std::string params, Fields more) {
    Fields fields = modern_headers(method, params);
    fields.insert(fields.end(), more.begin(), more.end());
    co_return co_await send("POST", modern_body(id, method, params), std::move(fields));
}

Task<std::optional<Events>> Rig::modern_stream(std::string id, std::string method, std::string params) {
    co_return co_await open("POST", modern_body(id, method, params), modern_headers(method, params));
}

Fields Rig::session_headers() const {
    Fields fields{{"MCP-Protocol-Version", version}};
    if (!session.empty()) fields.emplace_back("Mcp-Session-Id", session);
    return fields;
}

Task<Reply> Rig::legacy(std::string body) {
    co_return co_await send("POST", std::move(body), session_headers());
}

Task<std::optional<Events>> Rig::legacy_stream(std::string body) {
    co_return co_await open("POST", std::move(body), session_headers());
}

Task<bool> Rig::initialize(std::string wanted, std::string capabilities) {
    const std::string params = R"("protocolVersion":")" + wanted + R"(","capabilities":)" + capabilities +
                               R"(,"clientInfo":{"name":"test","version":"1"})";
    const Reply reply = co_await send("POST", legacy_request("0", "initialize", params), {});
    if (reply.status != 200) co_return false;
    if (reply.headers.contains("mcp-session-id")) session = reply.header("mcp-session-id");
    const Json answer = reply.json();
    const Json* said = answer.at_pointer("/result/protocolVersion");
    if (said == nullptr || said->if_string() == nullptr) co_return false;
    version = *said->if_string();
    const Reply noted = co_await legacy(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    co_return noted.status == 202;
}

Task<void> Rig::restart() {
    co_await endpoint->close(seconds(1));
    endpoint = std::make_unique<HttpEndpoint>(options, sealer);
}

namespace {

Task<void> rigged(Loop& loop, RigTest body, HttpEndpointOptions options) {
    Rig rig(loop, std::move(options));
    if (auto started = rig.server.start(); !started) {
        ADD_FAILURE() << started.error().to_string();
        co_return;
    }
    co_await body(rig);
    rig.backend.open = true;
    rig.backend.changed.pulse();
    co_await rig.endpoint->close(seconds(5));
    EXPECT_EQ(rig.endpoint->counts().calls, 0u);
    EXPECT_EQ(rig.endpoint->counts().streams, 0u);
    rig.client.close();
    co_await rig.server.stop(milliseconds(100));
    rig.endpoint.reset();
    EXPECT_TRUE(rig.backend.watches.empty());
}

}  // namespace

void run_rig(RigTest body, HttpEndpointOptions options) {
    Loop loop;
    loop.run_until_done(rigged(loop, body, std::move(options)));
}

}  // namespace gantry::mcp::testing
