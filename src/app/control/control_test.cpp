#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <thread>

#include "app/control/control_client.hpp"
#include "app/control/status_view.hpp"
#include "app/instances/instances.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"
#include "io/net/tcp.hpp"
#include "io/test_temporary_folder.hpp"
#include "surface/control/operations.hpp"

namespace gantry::app {
namespace {

namespace fs = std::filesystem;

using Folder = TemporaryFolder;

TEST(Instances, AreThoseThatAnswerAndWhatKilledOnesLeftIsRemoved) {
    const Folder folder;
    Loop loop;
    auto seven = net::TcpListener::listen(loop, {.unix_path = control_socket(folder.path(), 7)});
    ASSERT_TRUE(seven);
    {
        // A socket without a listener, as a killed gateway leaves it.
        auto killed = net::TcpListener::listen(loop, {.unix_path = control_socket(folder.path(), 8)});
        ASSERT_TRUE(killed);
        fs::create_hard_link(control_socket(folder.path(), 8), folder.path() / "copy");
    }
    fs::rename(folder.path() / "copy", control_socket(folder.path(), 8));
    std::ofstream(folder.path() / "control-x.sock") << "not ours";

    auto chosen = choose_instance(folder.path(), 0);
    ASSERT_TRUE(chosen) << chosen.error().message();
    EXPECT_EQ(chosen->pid, 7);
    EXPECT_FALSE(fs::exists(control_socket(folder.path(), 8)));
    EXPECT_TRUE(fs::exists(folder.path() / "control-x.sock"));

    auto nine = net::TcpListener::listen(loop, {.unix_path = control_socket(folder.path(), 9)});
    ASSERT_TRUE(nine);
    EXPECT_NE(choose_instance(folder.path(), 0).error().message().find("--pid: 7 9"), std::string::npos);
    EXPECT_EQ(choose_instance(folder.path(), 9)->pid, 9);
    EXPECT_EQ(choose_any_instance(folder.path(), 0)->pid, 7) << "of what they share, any can be asked";
    EXPECT_EQ(choose_any_instance(folder.path(), 9)->pid, 9);
    EXPECT_EQ(choose_any_instance(folder.path(), 10).error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(choose_any_instance(folder.path() / "empty", 0).error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(choose_instance(folder.path(), 10).error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(choose_instance(folder.path() / "empty", 0).error().code(), ErrorCode::kNotFound);
}

Task<Result<Json>> refuse(const Context&, surface::OperationCall) {
    co_return fail(ErrorCode::kNotFound, "no such approval");
}
Task<Result<Json>> echo(const Context&, surface::OperationCall call) {
    co_return std::move(call.body);
}
Task<void> count(const Context& ctx, http::Exchange& exchange, surface::OperationCall) {
    const http::Headers headers{{"Content-Type", "text/event-stream"}};
    if (!co_await exchange.start(ctx, 200, headers)) co_return;
    for (int i = 0; i < 3; ++i) {
        if (!co_await exchange.write(ctx, "data: {\"n\":" + std::to_string(i) + "}\n\n")) co_return;
    }
    (void)co_await exchange.finish(ctx);
}

/// A gateway's control channel on its own thread.
class Answering {
public:
    explicit Answering(const fs::path& socket)
        : server_(loop_, {.unix_path = socket},
                  [this](const Context& ctx, http::Exchange& exchange) { return operations_.handle(ctx, exchange); }) {
        operations_.add({.method = "POST", .path = "/v1/echo", .run = echo});
        operations_.add({.method = "GET", .path = "/v1/refused", .run = refuse});
        operations_.add({.method = "GET", .path = "/v1/events", .follow = count});
        EXPECT_TRUE(server_.start());
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Answering() {
        loop_.post([this] { loop_.stop(); });
        thread_.join();
        loop_.run_until_done(server_.stop(seconds(5)));
    }

private:
    Loop loop_;
    surface::Operations operations_;
    http::Server server_;
    std::thread thread_;
};

TEST(ControlClient, BringsAnswersRefusalsAndStreams) {
    const Folder folder;
    const fs::path socket = control_socket(folder.path(), 1);
    const Answering gateway(socket);
    const ControlClient client(socket);
    const Json body = JsonObject{{"a", JsonArray{1, "x"}}};
    EXPECT_EQ(client.ask("POST", "/v1/echo", body).value(), body);
    const auto refused = client.get("/v1/refused");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(refused.error().message(), "no such approval");

    std::vector<std::string> heard;
    const auto keep = [&heard](std::string_view, std::string_view data) {
        heard.emplace_back(data);
        return true;
    };
    EXPECT_TRUE(client.follow("/v1/events", keep));
    EXPECT_EQ(heard, (std::vector<std::string>{R"({"n":0})", R"({"n":1})", R"({"n":2})"}));
    int seen = 0;
    EXPECT_TRUE(client.follow("/v1/events", [&seen](auto, auto) { return ++seen < 2; }));
    EXPECT_EQ(seen, 2);
    EXPECT_FALSE(ControlClient(folder.path() / "nobody.sock").get("/v1/status"));
}

const char* const kStatus = R"({"pid":5,"version":"1","uptime_seconds":10,"url":"http://x/mcp","config":"/c.yaml",
    "config_age_seconds":3,"sessions":2,"servers":[
    {"name":"files","state":"ready","tools":3,"calls":100,"failed":10,"running":1,"p50_ms":1.5,"p99_ms":20,
     "breaker":"closed","trouble":null},
    {"name":"bad\u001b[2J","state":"down","tools":0,"calls":0,"failed":0,"running":0,"breaker":"open",
     "trouble":"cannot be reached"}]})";

TEST(StatusView, ShowsServersAndTheirTroubleWithoutTheirControlCharacters) {
    const std::string text = show_status(*Json::parse(kStatus));
    EXPECT_NE(text.find("process 5"), std::string::npos) << text;
    EXPECT_NE(text.find("cannot be reached"), std::string::npos) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

TEST(StatusView, RatesAreWhatCameSinceTheLastLook) {
    Json now = *Json::parse(kStatus);
    EXPECT_NE(show_top(now, std::nullopt, {}).find("10.0 calls/s, 1.0 errors/s"), std::string::npos)
        << show_top(now, std::nullopt, {});
    const Json before = now;
    now.find("servers")->if_array()->at(0).if_object()->set("calls", 150);
    EXPECT_NE(show_top(now, before, seconds(2)).find("25.0 calls/s, 0.0 errors/s"), std::string::npos);
}

TEST(StatusView, ShowsALineOfTheLogForPeopleWithoutControlCharacters) {
    const std::string line = show_log_line(
        R"({"time":"2026-11-17T10:22:28.123Z","level":"warning","message":"a\u001b[2Jb","server":"files"})");
    EXPECT_NE(line.find("2026-11-1"), std::string::npos) << line;
    EXPECT_NE(line.find(" warning  a?[2Jb  server=files"), std::string::npos) << line;
    EXPECT_EQ(show_log_line("no\x1bJSON"), "no?JSON");
    EXPECT_NE(
        show_log_line(R"({"level":"warning","message":"first fault\nsecond fault"})").find("first fault; second fault"),
        std::string::npos);
}

TEST(StatusView, ShowsApprovalsWithBoundedArgumentsAndTheCommandThatAnswers) {
    const std::string text = show_approvals(
        *Json::parse(R"({"approvals":[{"id":"k3","server":"s","tool":"t\u202e","principal":"local","age_seconds":5,)"
                     R"("expires_in_seconds":290,"arguments":{"x":")" +
                     std::string(10'000, 'a') + R"("}}]})"));
    EXPECT_LT(text.size(), 400u) << text;
    EXPECT_NE(text.find("5 s"), std::string::npos) << text;
    EXPECT_NE(text.find("4 min"), std::string::npos) << text;
    EXPECT_NE(text.find("gantry approvals --approve k3"), std::string::npos) << text;
    EXPECT_EQ(text.find("\u202e"), std::string::npos) << "nothing may reorder what is read";
}

}  // namespace
}  // namespace gantry::app
