// Which server is used when the command line does not name one, and the message when there is none.
#include <filesystem>

#include "command_line/rig.hpp"
#include "support/raw_server.hpp"

namespace gantry::testing {
namespace {

TEST(Target, IsTheRunningGatewayWhenNoneIsNamed) {
    const Home home;
    Gateway gateway("demo_tools: true\n", home.path("data/gantry"));
    const Ran tools = home.gantry({"tools"});
    EXPECT_EQ(tools.code, 0) << tools.err;
    EXPECT_THAT(tools.out, HasSubstr("demo_echo(message: string"));
    const Ran call = home.gantry({"call", "demo_echo", "message=found it"});
    EXPECT_EQ(call.code, 0) << call.err;
    EXPECT_THAT(call.out, HasSubstr("found it"));
    const Ran elsewhere = home.gantry({"tools", "--state-dir", home.path("other")});
    EXPECT_EQ(elsewhere.code, 2);
    EXPECT_THAT(elsewhere.err, HasSubstr("start a gateway with `gantry serve`"));
}

TEST(Target, IsAServerOfAConfiguration) {
    const Home home;
    home.write(".env", "SUM_NAME=from the secrets\n");
    home.write("gantry.yaml", "secrets: {keyring: false}\nservers:\n  - name: sums\n    command: " + hello_server() +
                                  "\n  - name: shows\n    command: bash\n    args: [show.sh]\n    cwd: " + home.path() +
                                  "\n    env: {SHOWN: '${SUM_NAME}'}\n");
    home.write("show.sh", "echo \"$SHOWN\"; exec sleep 100\n");
    const Ran call = home.gantry({"call", "add", "a=2", "b=3", "--server", "sums"});
    EXPECT_EQ(call.code, 0) << call.err;
    EXPECT_THAT(call.out, HasSubstr("5"));
    const Ran unknown = home.gantry({"tools", "--server", "sum"});
    EXPECT_EQ(unknown.code, 3);
    EXPECT_THAT(unknown.err, HasSubstr("gantry.yaml has no server 'sum'; did you mean 'sums'?"));
    // It receives its secrets, and the error that quotes it does not repeat them.
    const Ran shown = home.gantry({"tools", "--server", "shows", "--config", "gantry.yaml", "--timeout", "3"});
    EXPECT_THAT(shown.err, HasSubstr("the program wrote '***'"));
    const Ran broken = home.gantry({"tools", "--server", "sums", "--config", "absent.yaml"});
    EXPECT_EQ(broken.code, 2) << broken.err;
}

TEST(Target, AServerOfAConfigurationIsIsolatedAsTheGatewayDoesIt) {
    const Home home;
    std::filesystem::create_directory(home.path("state"));
    home.write("state/key", "top secret\n");
    home.write("show.sh", "cat state/key 2>/dev/null || echo hidden; exec sleep 100\n");
    const std::string entry = ", command: bash, args: [show.sh], cwd: " + home.path();
    home.write("gantry.yaml", "state_dir: " + home.path("state") + "\nservers:\n  - {name: kept" + entry +
                                  "}\n  - {name: free" + entry + ", isolation: \"off\"}\n");
    EXPECT_THAT(home.gantry({"tools", "--server", "kept", "--timeout", "3"}).err,
                HasSubstr("the program wrote 'hidden'"));
    EXPECT_THAT(home.gantry({"tools", "--server", "free", "--timeout", "3"}).err,
                HasSubstr("the program wrote 'top secret'"));
}

TEST(Target, SavesImagesAndBinaryData) {
    const Home home;
    const Ran image = home.gantry(
        {"call", "test_image_content", "{}", "--output", "image.png", "--", everything_server(), "--stdio"});
    EXPECT_EQ(image.code, 0) << image.err;
    EXPECT_THAT(home.read("image.png"), ::testing::StartsWith("\x89PNG"));
    const Ran text = home.gantry(
        {"call", "test_simple_text", "{}", "--output", "nothing.png", "--", everything_server(), "--stdio"});
    EXPECT_EQ(text.code, 8);
    EXPECT_THAT(text.err, HasSubstr("nothing to write to nothing.png"));
    EXPECT_FALSE(std::filesystem::exists(home.path("nothing.png")));
    const Ran blob =
        home.gantry({"read", "test://static-binary", "-o", "blob.bin", "--", everything_server(), "--stdio"});
    EXPECT_EQ(blob.code, 0) << blob.err;
    EXPECT_GT(home.read("blob.bin").size(), 10u);
    const Ran full = home.gantry(
        {"call", "test_image_content", "{}", "--output", "/dev/full", "--", everything_server(), "--stdio"});
    EXPECT_EQ(full.code, 8) << full.err;
}

TEST(Target, ARefusalIsShownInTheServersWords) {
    const Home home;
    Gateway gateway("demo_tools: true\n");
    const Ran wrong = home.gantry({"tools", "--url", gateway.at("/wrong")});
    EXPECT_EQ(wrong.code, 3) << wrong.err;
    EXPECT_THAT(wrong.err, HasSubstr("MCP is served at /mcp"));

    RawServer loud([](RawServer&, int socket) {
        RawServer::read_request(socket);
        const std::string body =
            "<html><head><title>x</title></head><body>No \033[31mentry" + std::string(5000, 'x') + "</body>";
        RawServer::send(socket, "HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: " +
                                    std::to_string(body.size()) + "\r\n\r\n" + body);
    });
    const Ran denied = home.gantry({"tools", "--url", loud.url()});
    EXPECT_EQ(denied.code, 5) << denied.err;
    EXPECT_THAT(denied.err, HasSubstr("No "));
    EXPECT_THAT(denied.err, Not(HasSubstr("\033")));
    EXPECT_THAT(denied.err, Not(HasSubstr("<html>")));
    EXPECT_LT(denied.err.size(), 1500u) << "bounded";
}

}  // namespace
}  // namespace gantry::testing
