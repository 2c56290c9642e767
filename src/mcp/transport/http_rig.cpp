#include "mcp/transport/http_rig.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/try.hpp"

namespace gantry::mcp::testing {

std::string Seen::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "-" : found->second;
}

HttpRig::HttpRig(Loop& loop, Script script_)
    : client(loop, guard),
      script(script_),
      server(loop, {}, [this](const Context& ctx, http::Exchange& exchange) { return serve(ctx, exchange); }) {}

Url HttpRig::url(const std::string& path) const {
    return *Url::parse("http://127.0.0.1:" + std::to_string(server.port()) + path);
}

StreamableHttpConfig HttpRig::config() {
    StreamableHttpConfig out;
    out.http.url = url();
    out.http.client = &client;
    out.resume_delay = milliseconds(20);
    out.max_resume_delay = milliseconds(40);
    out.close_timeout = milliseconds(300);
    return out;
}

Task<void> HttpRig::connect(StreamableHttpConfig with) {
    StreamableHttpTransport transport(std::move(with));
    auto made = co_await transport.connect(watchdog());
    CO_ASSERT(made);
    connection = *std::move(made);
}

std::size_t HttpRig::count(const std::string& method) const {
    return static_cast<std::size_t>(std::ranges::count_if(seen, [&](const Seen& one) { return one.method == method; }));
}

Task<bool> HttpRig::until(bool (*condition)(HttpRig&)) {
    const Context ctx = watchdog();
    while (!condition(*this)) {
        if (!co_await changed.wait(ctx)) co_return false;
    }
    co_return true;
}

Task<void> HttpRig::serve(const Context& ctx, http::Exchange& exchange) {
    Seen one{.method = std::string(exchange.method()),
             .target = std::string(exchange.target()),
             .headers = {},
             .body = {},
             .json = {}};
    for (std::size_t i = 0; i < exchange.headers().size(); ++i) {
        std::string name(exchange.headers()[i].name);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        one.headers[name] = exchange.headers()[i].value;
    }
    one.body = (co_await exchange.read_all(ctx, 1u << 20)).value_or("unreadable");
    if (auto json = Json::parse(one.body)) one.json = *std::move(json);
    seen.push_back(one);
    changed.pulse();
    co_await script(*this, ctx, exchange, one);
    changed.pulse();
}

namespace {

Task<void> rigged(Loop& loop, Script script, RigBody body, bool connect) {
    HttpRig rig(loop, script);
    if (auto started = rig.server.start(); !started) {
        ADD_FAILURE() << started.error().to_string();
        co_return;
    }
    if (connect) co_await rig.connect(rig.config());
    if (!connect || rig.connection) co_await body(rig);
    if (rig.connection) co_await rig.connection->close();
    rig.connection.reset();
    rig.client.close();
    co_await rig.server.stop(milliseconds(100));
}

}  // namespace

void run_rig(Script script, RigBody body, bool connect) {
    Loop loop;
    loop.run_until_done(rigged(loop, script, body, connect));
}

Task<void> say_json(const Context& ctx, http::Exchange& exchange, int status, std::string body, http::Headers more) {
    more.add("Content-Type", "application/json");
    (void)co_await exchange.respond(ctx, status, more, body);
}

Task<void> start_events(const Context& ctx, http::Exchange& exchange, http::Headers more) {
    more.add("Content-Type", "text/event-stream");
    (void)co_await exchange.start(ctx, 200, more);
}

Task<void> say_event(const Context& ctx, http::Exchange& exchange, std::string data, std::optional<std::string> id,
                     std::optional<milliseconds> retry) {
    std::string out;
    sse::append_event(out, "message", data, id, retry);
    (void)co_await exchange.write(ctx, out);
}

Task<void> hold(HttpRig& rig, const Context& ctx, http::Exchange& exchange) {
    auto gone = co_await exchange.wait_for_disconnect(ctx);
    if (!gone && gone.error().code() == ErrorCode::kConnection) ++rig.disconnects;
    rig.changed.pulse();
}

std::string result_for(const Seen& seen, const std::string& result) {
    const Json* id = seen.json.find("id");
    return R"({"jsonrpc":"2.0","id":)" + (id ? id->dump() : "null") + R"(,"result":)" + result + "}";
}

Task<bool> handshake(const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (seen.rpc_method() == "initialize") {
        co_await say_json(ctx, exchange, 200, result_for(seen), {{"Mcp-Session-Id", "s1"}});
        co_return true;
    }
    if (seen.method == "POST" && !seen.json.find("id")) {
        (void)co_await exchange.respond(ctx, 202, {}, "");
        co_return true;
    }
    co_return false;
}

Task<bool> initialize(HttpRig& rig, Revision revision) {
    Connection& connection = *rig.connection;
    if (!co_await connection.write(watchdog(), request(0, "initialize"))) co_return false;
    if (text_of(co_await connection.read(watchdog())) != "result 0 {}") co_return false;
    connection.set_revision(revision);
    co_return (co_await connection.write(watchdog(), notification("notifications/initialized"))).has_value();
}

}  // namespace gantry::mcp::testing
