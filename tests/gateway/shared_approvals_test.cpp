// Calls that need a person's approval at several gateways that share a state folder, and deferred answers.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <thread>

#include "gateway/approvals/signed_answer.hpp"
#include "gateway/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

std::string config(const std::string& approvals = "") {
    return (approvals.empty() ? std::string() : "approvals:\n" + approvals) +
           "servers:\n  - name: e\n    command: " + gantry::test_support::built_path("examples/everything_server") +
           "\n    args: [--stdio]\n    require_approval: {always: [greet]}\n";
}

std::string ask(Gateway& gateway, std::vector<std::string> words, int expected = 0) {
    words.insert(words.begin(), gantry_program());
    words.insert(words.end(), {"--state-dir", gateway.state(), "--pid", std::to_string(gateway.child().pid())});
    Child child({.command = std::move(words), .env = {}});
    EXPECT_EQ(child.wait(), expected) << child.err();
    return child.out() + child.err();
}

/// The id of the only question at the gateway other than `but`.
std::string waiting(Gateway& gateway, const std::string& but = {}) {
    std::string id;
    EXPECT_TRUE(eventually([&] {
        const auto answer = Json::parse(ask(gateway, {"approvals", "--json"}));
        if (!answer) return false;
        for (const Json& one : *answer->find("approvals")->if_array()) {
            if (one.string_at("id") != but) id = one.string_at("id");
        }
        return !id.empty();
    }));
    return id;
}

Client connect_to(const Gateway& gateway) {
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    if (!client) ADD_FAILURE() << client.error().to_string();
    return *std::move(client);
}

std::string fate(const Result<mcp::CallToolResult>& result) {
    if (result) return "ran";
    const RpcError* rpc = result.error().rpc();
    const auto data = rpc == nullptr ? Result<Json>(Json()) : Json::parse(rpc->data);
    return data ? std::string(data->string_at("reason")) : result.error().to_string();
}

class SharedApprovalsTest : public ::testing::Test {
protected:
    std::string state() const { return folder_.path() + "/state"; }
    static constexpr const char* kTool = "e_greet";
    const JsonObject ada_{{"name", "Ada Lovelace"}};

private:
    TempDir folder_;
};

TEST_F(SharedApprovalsTest, AnAnswerAtOneGatewayFreesTheCallThatWaitsAtAnother) {
    Gateway here(config(), state());
    Gateway there(config(), state());
    Client client = connect_to(here);
    auto call = client.call_async(kTool, ada_);
    const std::string id = waiting(there);
    EXPECT_THAT(ask(there, {"approvals"}), HasSubstr("Ada Lovelace"));
    EXPECT_THAT(ask(there, {"approvals", "--approve", id}), HasSubstr("approved"));
    EXPECT_EQ(fate(call.get()), "ran");
    Child either({.command = {gantry_program(), "approvals", "--state-dir", state()}, .env = {}});
    EXPECT_EQ(either.wait(), 0) << "no matter which: " << either.err();
    for (Gateway* gateway : {&here, &there})
        EXPECT_THAT(ask(*gateway, {"approvals", "--approve", id}, 3), HasSubstr(id)) << "an approval is for one call";

    auto another = client.call_async(kTool, ada_);
    EXPECT_THAT(ask(there, {"approvals", "--reject", waiting(there), "--reason", "not today"}), HasSubstr("rejected"));
    const auto refused = another.get();
    EXPECT_EQ(fate(refused), "approval_rejected");
    EXPECT_THAT(refused.error().to_string(), HasSubstr("not today"));
    Client elsewhere = connect_to(there);
    EXPECT_EQ(fate(elsewhere.call(kTool, ada_)), "approval_rejected") << "a no holds everywhere";
}

TEST_F(SharedApprovalsTest, TheSameApprovedCallAtTwoGatewaysRunsOnce) {
    Gateway here(config(), state());
    Gateway there(config(), state());
    Client one = connect_to(here);
    Client other = connect_to(there);
    auto first = one.call_async(kTool, ada_);
    const std::string id = waiting(there);
    auto second = other.call_async(kTool, ada_);
    ask(here, {"approvals", "--approve", id});
    // The call that lost the race asks again.
    ask(here, {"approvals", "--reject", waiting(here, id)});
    const std::vector<std::string> fates{fate(first.get()), fate(second.get())};
    EXPECT_THAT(fates, ::testing::UnorderedElementsAre("ran", "approval_rejected"));
}

TEST_F(SharedApprovalsTest, AKilledGatewaysQuestionIsAnsweredAtAnotherAndItsCallRunsThere) {
    auto here = std::make_unique<Gateway>(config(), state());
    Gateway there(config(), state());
    std::string id;
    {
        Client client = connect_to(*here);
        auto call = client.call_async(kTool, ada_);
        id = waiting(there);
        ::kill(here->child().pid(), SIGKILL);
        EXPECT_FALSE(call.get().has_value());
    }
    ask(there, {"approvals", "--approve", id});
    Client client = connect_to(there);
    EXPECT_EQ(fate(client.call(kTool, ada_)), "ran") << "the same call finds its answer";
    auto again = client.call_async(kTool, ada_);
    ask(there, {"approvals", "--reject", waiting(there)});
    EXPECT_EQ(fate(again.get()), "approval_rejected") << "and finds it once";
}

TEST_F(SharedApprovalsTest, AKilledGatewaysQuestionExpires) {
    auto here = std::make_unique<Gateway>(config("  timeout: 3s\n"), state());
    Gateway there(config(), state());
    {
        Client client = connect_to(*here);
        auto call = client.call_async(kTool, ada_);
        const std::string id = waiting(there);
        ::kill(here->child().pid(), SIGKILL);
        EXPECT_FALSE(call.get().has_value());
        EXPECT_TRUE(there.child().wait_for_output("approval " + id + " was refused"));
        EXPECT_THAT(ask(there, {"approvals", "--approve", id}, 3), HasSubstr("expired"));
    }
    EXPECT_THAT(ask(there, {"approvals"}), HasSubstr("no calls are waiting"));
    EXPECT_TRUE(std::filesystem::is_empty(state() + "/approvals"));
}

TEST_F(SharedApprovalsTest, ACallWhoseResultIsStreamedWaitsLikeAnyOther) {
    SKIP_WITHOUT(dual_era_js());
    Gateway gateway("servers:\n  - name: t\n    command: " + node() + "\n    args: [" +
                        peer_file("trouble_server.mjs") + ", t]\n    require_approval: always\n",
                    state());
    Client client = connect_to(gateway);
    constexpr std::size_t kBytes = 3'000'000;  // more than is held in memory
    auto call = client.call_async("t_big", {{"bytes", kBytes}});
    ask(gateway, {"approvals", "--approve", waiting(gateway)});
    const auto result = call.get();
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->text().size(), kBytes);
}

/// The data of the first event of a type in lines of JSON.
Json data_of(const std::string& lines, std::string_view type) {
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        const auto event = Json::parse(lines.substr(at, end - at));
        if (event && event->string_at("type").contains(type)) return *event->find("data");
        at = end + 1;
    }
    ADD_FAILURE() << "no " << type << " in " << lines;
    return JsonObject{};
}

TEST_F(SharedApprovalsTest, EventsOfQuestionAndAnswerNameServerToolPrincipalAndRequest) {
    Gateway gateway(config(), state());
    Client client = connect_to(gateway);
    Child follower({.command = {gantry_program(), "events", "--state-dir", state()}, .env = {}});
    EXPECT_TRUE(eventually([&] {
        (void)client.call("e_test_error_handling", {});
        return follower.wait_for_output("gantry.tool.", std::chrono::seconds(1));
    }));
    auto call = client.call_async(kTool, ada_);
    ask(gateway, {"approvals", "--approve", waiting(gateway), "--reason", "fine"});
    EXPECT_EQ(fate(call.get()), "ran");
    EXPECT_TRUE(follower.wait_for_output("approval.answered"));
    EXPECT_TRUE(follower.wait_for_output(R"("e_greet")"));
    const Json asked = data_of(follower.out(), "approval.requested");
    const Json answered = data_of(follower.out(), "approval.answered");
    for (const Json* data : {&asked, &answered}) {
        EXPECT_EQ(data->string_at("server"), "e");
        EXPECT_EQ(data->string_at("tool"), "greet");
        EXPECT_EQ(data->string_at("principal"), "local");
        EXPECT_FALSE(data->string_at("request_id").empty());
        EXPECT_EQ(data->string_at("id"), asked.string_at("id"));
        EXPECT_EQ(data->string_at("request_id"), asked.string_at("request_id"));
        EXPECT_FALSE(data->dump().contains("Ada Lovelace")) << "arguments are for whoever answers";
    }
    EXPECT_EQ(*answered.find("approved"), Json(true));
    EXPECT_EQ(answered.string_at("channel"), "operator");
    EXPECT_EQ(answered.string_at("reason"), "fine");
}

/// Sends one raw request; returns the complete response.
std::string post(int port, const std::string& path, const std::string& body, const std::string& fields = {}) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const std::string text = "POST " + path + " HTTP/1.1\r\nHost: approvals.example\r\nConnection: close\r\n" + fields +
                             "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    std::string response;
    char piece[4096];
    for (ssize_t got = 0; (got = ::recv(fd, piece, sizeof piece, 0)) > 0;)
        response.append(piece, static_cast<std::size_t>(got));
    ::close(fd);
    return response;
}

/// The receiver of an approval webhook that accepts one question without answering it yet.
class Receiver {
public:
    Receiver() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), size), 0);
        EXPECT_EQ(::listen(fd_, 8), 0);
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
        port = ntohs(address.sin_port);
    }
    ~Receiver() { ::close(fd_); }

    /// The question, once it has arrived.
    Json take() const {
        const int peer = ::accept(fd_, nullptr, nullptr);
        std::string text;
        char piece[4096];
        const auto body_at = [&text] { return text.find("\r\n\r\n"); };
        for (ssize_t got = 0; (got = ::recv(peer, piece, sizeof piece, 0)) > 0;) {
            text.append(piece, static_cast<std::size_t>(got));
            if (body_at() != std::string::npos && Json::parse(text.substr(body_at() + 4))) break;
        }
        constexpr std::string_view kNoted = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
        EXPECT_EQ(::send(peer, kNoted.data(), kNoted.size(), MSG_NOSIGNAL), static_cast<ssize_t>(kNoted.size()));
        ::close(peer);
        return *Json::parse(text.substr(body_at() + 4));
    }
    int port = 0;

private:
    int fd_;
};

std::int64_t now() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

std::string signed_with(const std::string& secret, const std::string& body, std::int64_t at = now()) {
    return "Gantry-Signature: " + gateway::sign_webhook(secret, body, at) + "\r\n";
}

TEST_F(SharedApprovalsTest, AWebhooksReceiverAnswersLaterAndAtAnyGateway) {
    const Receiver receiver;
    const std::string webhook = "  webhook: {url: \"http://127.0.0.1:" + std::to_string(receiver.port) +
                                "/ask\", secret: s3cret, answer_url: \"https://gateway.example/\"}\n";
    Gateway here(config(webhook), state());
    Gateway there(config(webhook), state());
    Client client = connect_to(here);
    auto call = client.call_async(kTool, ada_);
    const Json question = receiver.take();
    const std::string id(question.string_at("id"));
    EXPECT_EQ(question.string_at("answerUrl"), "https://gateway.example/mcp/approvals/" + id);
    EXPECT_EQ(*question.at_pointer("/arguments/name"), Json("Ada Lovelace"));

    const std::string path = "/mcp/approvals/" + id;
    const std::string yes = R"({"id":")" + id + R"(","approved":true,"reason":"by chat"})";
    const auto refused = [&](const std::string& to, const std::string& body, const std::string& fields) {
        return post(there.port(), to, body, fields);
    };
    EXPECT_THAT(refused(path, yes, ""), HasSubstr("HTTP/1.1 401")) << "whoever may call tools may not answer";
    EXPECT_THAT(refused(path, yes, signed_with("wrong", yes)), HasSubstr("HTTP/1.1 401"));
    EXPECT_THAT(refused(path, yes + " ", signed_with("s3cret", yes)), HasSubstr("HTTP/1.1 401")) << "altered";
    EXPECT_THAT(refused(path, yes, signed_with("s3cret", yes, now() - 400)), HasSubstr("HTTP/1.1 401")) << "old";
    EXPECT_THAT(refused("/mcp/approvals/other", yes, signed_with("s3cret", yes)), HasSubstr("HTTP/1.1 400"));
    EXPECT_THAT(refused(path, std::string(100'000, 'x'), signed_with("s3cret", "x")), HasSubstr("HTTP/1.1 413"));
    EXPECT_EQ(waiting(here), id) << "still open after all of that";

    EXPECT_THAT(post(there.port(), path, yes, signed_with("s3cret", yes)), HasSubstr("HTTP/1.1 200"));
    EXPECT_EQ(fate(call.get()), "ran");
    EXPECT_THAT(post(here.port(), path, yes, signed_with("s3cret", yes)), HasSubstr("HTTP/1.1 404")) << "once";
}

TEST_F(SharedApprovalsTest, AWebhookIsShownWhatWaitedWhenItsGatewayWasKilled) {
    const Receiver receiver;
    const std::string webhook =
        "  webhook: {url: \"http://127.0.0.1:" + std::to_string(receiver.port) + "/ask\", secret: s3cret}\n";
    Gateway first(config(webhook), state());
    Client client = connect_to(first);
    auto call = client.call_async(kTool, ada_);
    const Json question = receiver.take();
    ASSERT_EQ(::kill(first.child().pid(), SIGKILL), 0);
    EXPECT_FALSE(call.get().has_value());
    const Gateway second(config(webhook), state());
    EXPECT_EQ(receiver.take(), question);
}

TEST_F(SharedApprovalsTest, AnotherWebhookIsTakenOverAndShownWhatWaitsAlready) {
    const Receiver receiver;
    Gateway gateway(config(), state(), {"--no-watch"});
    Client client = connect_to(gateway);
    auto call = client.call_async(kTool, ada_);
    const std::string id = waiting(gateway);
    const auto webhook = [&receiver](const std::string& secret) {
        return "  webhook: {url: \"http://127.0.0.1:" + std::to_string(receiver.port) + "/ask\", secret: " + secret +
               ", answer_url: \"https://gateway.example\"}\n";
    };
    gateway.rewrite("path: /tools\n" + config(webhook("first-secret")));
    const std::string told = ask(gateway, {"reload"});
    EXPECT_THAT(told, HasSubstr("approvals.webhook"));
    EXPECT_THAT(told, HasSubstr("path"));
    EXPECT_EQ(receiver.take().string_at("answerUrl"), "https://gateway.example/tools/approvals/" + id);

    gateway.rewrite("path: /tools\n" + config(webhook("second-secret")));
    EXPECT_THAT(ask(gateway, {"reload"}), HasSubstr("approvals.webhook"));
    EXPECT_EQ(receiver.take().string_at("id"), id);
    const std::string yes = R"({"id":")" + id + R"(","approved":true})";
    const std::string path = "/tools/approvals/" + id;
    EXPECT_THAT(post(gateway.port(), path, yes, signed_with("first-secret", yes)), HasSubstr("HTTP/1.1 401"));
    EXPECT_THAT(post(gateway.port(), path, yes, signed_with("second-secret", yes)), HasSubstr("HTTP/1.1 200"));
    EXPECT_EQ(fate(call.get()), "ran") << "begun before MCP moved";

    gateway.rewrite("path: /tools\n" + config());
    ask(gateway, {"reload"});
    EXPECT_THAT(post(gateway.port(), path, yes, signed_with("second-secret", yes)), HasSubstr("HTTP/1.1 404"));
}

TEST_F(SharedApprovalsTest, WithoutAWebhookNobodyAnswersOverTheListener) {
    Gateway gateway(config(), state());
    const std::string yes = R"({"id":"x","approved":true})";
    EXPECT_THAT(post(gateway.port(), "/mcp/approvals/x", yes, signed_with("", yes)), HasSubstr("HTTP/1.1 404"));
}

}  // namespace
}  // namespace gantry::testing
