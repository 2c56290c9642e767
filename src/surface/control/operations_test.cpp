#include "surface/control/operations.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/try.hpp"
#include "io/http/client.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::surface {
namespace {

namespace fs = std::filesystem;

Task<Result<Json>> tell(const Context&, OperationCall call) {
    Json values = JsonObject{};
    for (const auto& [name, value] : call.values) values.if_object()->set(name, value);
    co_return Json(JsonObject{{"values", std::move(values)}, {"body", std::move(call.body)}});
}

Task<Result<Json>> refuse(const Context&, OperationCall) {
    co_return fail(ErrorCode::kNotFound, "no such approval");
}

struct Answer {
    int status = 0;
    Json body = {};
};

class Rig {
public:
    explicit Rig(Loop& loop)
        : server(loop, {.unix_path = socket},
                 [this](const Context& ctx, http::Exchange& exchange) { return operations.handle(ctx, exchange); }),
          client(loop, guard, {.unix_path = socket}) {
        operations.add({.method = "GET", .path = "/v1/status", .run = tell});
        operations.add({.method = "POST", .path = "/v1/approvals/{id}", .run = tell});
        operations.add({.method = "GET", .path = "/v1/approvals/{id}", .run = refuse});
    }

    Task<Answer> ask(std::string method, std::string target, std::string body = {}) {
        http::Request request{.method = std::move(method), .url = *Url::parse("http://control" + target)};
        request.body = std::move(body);
        auto response = co_await client.send(Context::background().within(seconds(30)), std::move(request));
        if (!response) co_return Answer{.status = -1, .body = Json(response.error().message())};
        auto text = co_await response->read_all(Context::background().within(seconds(30)), 1u << 20);
        co_return Answer{.status = response->status(), .body = text ? *Json::parse(*text) : Json()};
    }

    TemporaryFolder folder;
    const std::string socket = (folder.path() / "c.sock").string();
    Operations operations;
    net::EgressGuard guard{{}};
    http::Server server;
    http::Client client;
};

Task<void> conversation() {
    Rig rig(Loop::current());
    EXPECT_TRUE(rig.server.start());
    struct stat made{};
    EXPECT_EQ(::stat(rig.socket.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777, 0600u) << "nobody else may ask";

    Answer answer = co_await rig.ask("GET", "/v1/status?wide=yes&name=a%20b+c");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, *Json::parse(R"({"values":{"wide":"yes","name":"a b c"},"body":null})"));

    answer = co_await rig.ask("POST", "/v1/approvals/a%2F7", R"({"approve":true})");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, *Json::parse(R"({"values":{"id":"a/7"},"body":{"approve":true}})"));

    answer = co_await rig.ask("GET", "/v1/approvals/7");
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.body, *Json::parse(R"({"error":{"code":"not_found","message":"no such approval"}})"));

    EXPECT_EQ((co_await rig.ask("DELETE", "/v1/status")).status, 405);
    EXPECT_EQ((co_await rig.ask("GET", "/v1/approvals/")).status, 404);
    EXPECT_EQ((co_await rig.ask("GET", "/elsewhere")).status, 404);
    EXPECT_EQ((co_await rig.ask("POST", "/v1/approvals/7", "{broken")).status, 400);
    EXPECT_EQ((co_await rig.ask("POST", "/v1/approvals/7", std::string(2u << 20, ' '))).status, 429);

    rig.client.close();
    co_await rig.server.stop(seconds(5));
    EXPECT_FALSE(fs::exists(rig.socket)) << "the socket goes with its server";
}

TEST(Operations, AreAskedByMethodAndPathOverAUnixSocket) {
    Loop loop;
    loop.run_until_done(conversation());
}

}  // namespace
}  // namespace gantry::surface
