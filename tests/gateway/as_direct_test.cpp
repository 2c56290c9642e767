// A client behind the gateway, with its default settings, observes the same as one connected to the server directly:
// servers and clients of the official packages, with each pair run both ways.
#include <gmock/gmock.h>

#include <set>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

struct Pair {
    const char* client;  // v1, v2
    const char* era;
    const char* server;  // "everything", "everything_over_http", "dual", "fast"
};

std::string name_of(const ::testing::TestParamInfo<Pair>& info) {
    return std::string(info.param.client) + "_" + info.param.era + "_at_" + info.param.server;
}

class AsDirectTest : public ::testing::TestWithParam<Pair> {
protected:
    void SetUp() override {
        SKIP_WITHOUT(dual_era_js());
        SKIP_WITHOUT(everything_js());
        if (is("fast") && peer_file("python/.venv/bin/python").empty())
            GTEST_SKIP() << "FastMCP is not installed: tools/setup gets it where it can";
        if (!is("everything_over_http")) return;
        const int port = free_port();
        server_ = std::make_unique<Child>(Child::Options{.command = {node(), everything_js(), "streamableHttp"},
                                                         .env = {{"PORT", std::to_string(port)}}});
        url_ = "http://127.0.0.1:" + std::to_string(port) + "/mcp";
        ASSERT_TRUE(wait_for_port(port)) << server_->err();
    }
    static bool is(std::string_view server) { return server == GetParam().server; }
    static std::vector<std::string> command() {
        if (is("fast")) return {peer_file("python/.venv/bin/python"), peer_file("python/fast_server.py")};
        return {node(), is("dual") ? dual_era_js() : everything_js(), "stdio"};
    }
    std::string config() const {
        std::string text = "servers:\n  - name: it\n";
        if (!url_.empty()) return text + "    url: " + url_ + "\n";
        text += "    command:";
        for (const std::string& word : command()) text += "\n      - " + word;
        return text + "\n";
    }
    Json direct(const Json& steps) const {
        if (!url_.empty()) return run_client(GetParam().client, GetParam().era, "http", url_, steps);
        std::string line;
        for (const std::string& word : command()) line += (line.empty() ? "" : " ") + word;
        return run_client(GetParam().client, GetParam().era, "stdio", line, steps);
    }
    static Json behind(const Gateway& gateway, const Json& steps) {
        return run_client(GetParam().client, GetParam().era, "http", gateway.at("/mcp/servers/it"), steps);
    }
    static std::vector<std::string> tools(const Json& run, const std::string& pointer) {
        std::vector<std::string> names;
        const Json* list = run.at_pointer(pointer);
        EXPECT_NE(list, nullptr) << run.dump();
        if (list == nullptr) return names;
        for (const Json& name : *list->if_array()) names.push_back(*name.if_string());
        return names;
    }
    /// Ignores how often a server requests roots, which is a matter of timing: it does so on its own too.
    static std::set<std::string> questions(const Json& run) {
        std::set<std::string> methods;
        for (const Json& method : *run.find("asked")->if_array()) methods.insert(*method.if_string());
        return methods;
    }
    /// The error or result of a step, without the parts that differ between runs.
    static std::string outcome(const Json& run, std::size_t step) {
        const Json* error = run.at_pointer("/results/" + std::to_string(step) + "/error");
        return error != nullptr ? "error" : text_of(run, step);
    }

private:
    std::unique_ptr<Child> server_;  // over HTTP; others are started by the client or the gateway
    std::string url_;
};

TEST_P(AsDirectTest, TheSameToolsAreListed) {
    const Gateway gateway(config());
    const Json there = direct(JsonArray{});
    const Json here = behind(gateway, JsonArray{});
    EXPECT_EQ(tools(here, "/tools"), tools(there, "/tools"));
    EXPECT_FALSE(tools(there, "/tools").empty());
    for (const std::string member : {"title", "description", "websiteUrl", "icons"}) {
        const Json* said = there.at_pointer("/server/" + member);
        const Json* passed_on = here.at_pointer("/server/" + member);
        EXPECT_EQ(passed_on == nullptr ? Json() : *passed_on, said == nullptr ? Json() : *said) << member;
    }
}

TEST_P(AsDirectTest, TheSameQuestionsAreAskedAndAnswered) {
    const Gateway gateway(config());
    JsonArray steps;
    const auto step = [&steps](const char* tool, JsonObject arguments = {}) {
        steps.push_back(JsonArray{"call", tool, std::move(arguments)});
    };
    if (is("dual")) {
        step("greet");
        step("push_greet");
    } else if (is("fast")) {
        step("ask_name");
    } else {
        step("trigger-elicitation-request");
        step("trigger-sampling-request", JsonObject{{"prompt", "hi"}, {"maxTokens", 10}});
        step("get-roots-list");
    }
    const Json there = direct(steps);
    const Json here = behind(gateway, steps);
    ASSERT_NE(here.find("asked"), nullptr) << here.dump();
    EXPECT_EQ(questions(here), questions(there)) << here.dump() << there.dump();
    for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(outcome(here, i), outcome(there, i)) << here.dump();
}

/// Clients with persistent connections, on which alone a server can come to offer more.
class AsDirectSessionTest : public AsDirectTest {};

TEST_P(AsDirectSessionTest, AToolThatAppearsIsAnnouncedListedAndCalled) {
    const Gateway gateway(config());
    const Json steps = JsonArray{JsonArray{"call", "unlock"}, JsonArray{"wait", "notifications/tools/list_changed"},
                                 JsonArray{"tools"}, JsonArray{"call", "hidden"}};
    const Json there = direct(steps);
    const Json here = behind(gateway, steps);
    EXPECT_EQ(tools(here, "/results/2/tools"), tools(there, "/results/2/tools"));
    EXPECT_EQ(text_of(there, 3), "found");
    EXPECT_EQ(text_of(here, 3), "found");
    // A client that has not unlocked it does not see it.
    EXPECT_FALSE(lists(behind(gateway, JsonArray{}), "hidden"));
}

INSTANTIATE_TEST_SUITE_P(Official, AsDirectTest,
                         ::testing::Values(Pair{"v1", "legacy", "everything"},
                                           Pair{"v1", "legacy", "everything_over_http"}, Pair{"v1", "legacy", "dual"},
                                           Pair{"v2", "legacy", "everything"}, Pair{"v2", "legacy", "dual"},
                                           Pair{"v2", "modern", "dual"}, Pair{"v1", "legacy", "fast"},
                                           Pair{"v2", "legacy", "fast"}, Pair{"v2", "modern", "fast"}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Official, AsDirectSessionTest,
                         ::testing::Values(Pair{"v1", "legacy", "dual"}, Pair{"v2", "legacy", "dual"}), name_of);

}  // namespace
}  // namespace gantry::testing
