// Calls a person has to agree to, at several gateways that share a state folder.
#include <gmock/gmock.h>
#include <signal.h>

#include <future>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

std::string config(const std::string& approvals = "") {
    return (approvals.empty() ? std::string() : "approvals:\n" + approvals) +
           "servers:\n  - name: e\n    command: " + std::string(GANTRY_BINARY_DIR) +
           "/examples/everything_server\n    args: [--stdio]\n    require_approval: {always: [greet]}\n";
}

std::string ask(Gateway& gateway, std::vector<std::string> words, int expected = 0) {
    words.insert(words.begin(), gantry_program());
    words.insert(words.end(), {"--state-dir", gateway.state(), "--pid", std::to_string(gateway.child().pid())});
    Child child({.command = std::move(words), .env = {}});
    EXPECT_EQ(child.wait(), expected) << child.err();
    return child.out() + child.err();
}

/// The only question the gateway knows of that is not `but`.
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
    for (Gateway* gateway : {&here, &there})
        EXPECT_THAT(ask(*gateway, {"approvals", "--approve", id}, 2), HasSubstr(id)) << "an approval is for one call";

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
    // Whoever lost asks for itself.
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
        EXPECT_THAT(ask(there, {"approvals", "--approve", id}, 2), HasSubstr("expired"));
    }
    EXPECT_THAT(ask(there, {"approvals"}), HasSubstr("nothing waits"));
    EXPECT_TRUE(std::filesystem::is_empty(state() + "/approvals"));
}

}  // namespace
}  // namespace gantry::testing
