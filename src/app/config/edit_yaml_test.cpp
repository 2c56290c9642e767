#include "app/config/edit_yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gantry::app {
namespace {

using testing::HasSubstr;

const JsonObject kFiles{{"command", "npx"}, {"args", JsonArray{"-y", "server files", "/srv"}}};

std::string shown(const Result<std::string>& edited) {
    return edited ? *edited : "error: " + edited.error().message();
}

struct Row {
    std::string_view what;
    std::string_view before;
    std::string_view after;
};

TEST(EditYaml, AddsAServerAndLeavesTheRestAsItIs) {
    const Row rows[] = {
        {"an empty file", "",
         "servers:\n  - name: files\n    command: npx\n    args: [\"-y\", \"server files\", /srv]\n"},
        {"comments only, no final newline", "# mine",
         "# mine\nservers:\n  - name: files\n    command: npx\n    args: [\"-y\", \"server files\", /srv]\n"},
        {"no servers key", "listen: 127.0.0.1:0  # any port\n# the end\n",
         "listen: 127.0.0.1:0  # any port\nservers:\n  - name: files\n    command: npx\n    args: [\"-y\", \"server "
         "files\", /srv]\n# the end\n"},
        {"a list", "servers:\n  # first\n  - name: a\n    url: http://x/mcp # there\n\ngroups: {}\n",
         "servers:\n  # first\n  - name: a\n    url: http://x/mcp # there\n  - name: files\n    command: npx\n    "
         "args: "
         "[\"-y\", \"server files\", /srv]\n\ngroups: {}\n"},
        {"a list without indentation, with wide dashes", "servers:\n-   name: a\n    url: http://x/mcp\n",
         "servers:\n-   name: a\n    url: http://x/mcp\n-   name: files\n    command: npx\n    args: [\"-y\", \"server "
         "files\", /srv]\n"},
        {"a map in its usual spelling, no final newline", "mcpServers:\n    a:\n        url: http://x/mcp",
         "mcpServers:\n    a:\n        url: http://x/mcp\n    files:\n        command: npx\n        args: [\"-y\", "
         "\"server files\", /srv]"},
        {"an anchor on the list and a block scalar at its end",
         "servers: &all\n  - name: a\n    command: sh\n    args:\n      - -c\n      - |\n        exec x\n\n\n# later\n",
         "servers: &all\n  - name: a\n    command: sh\n    args:\n      - -c\n      - |\n        exec x\n  - name: "
         "files\n    command: npx\n    args: [\"-y\", \"server files\", /srv]\n\n\n# later\n"},
        {"a key without a value", "servers: # none yet\npath: /mcp\n",
         "servers: # none yet\n  - name: files\n    command: npx\n    args: [\"-y\", \"server files\", /srv]\npath: "
         "/mcp\n"},
        {"an empty flow list", "servers: []\n",
         "servers:\n  - name: files\n    command: npx\n    args: [\"-y\", \"server files\", /srv]\n"},
        {"an empty flow map", "servers: {} # soon\n",
         "servers: # soon\n  files:\n    command: npx\n    args: [\"-y\", \"server files\", /srv]\n"},
        {"a flow list", "servers: [{name: a, url: 'http://x/mcp'}]\n",
         "servers: [{name: a, url: 'http://x/mcp'}, {\"name\": \"files\", \"command\": \"npx\", \"args\": [\"-y\", "
         "\"server files\", \"/srv\"]}]\n"},
        {"a flow list over lines, with comments and a comma at its end",
         "servers: [\n  {name: a, url: 'http://x/mcp'}, # a\n]\n",
         "servers: [\n  {name: a, url: 'http://x/mcp'}, # a\n  {\n    \"name\": \"files\",\n    \"command\": "
         "\"npx\",\n    \"args\": [\"-y\", \"server files\", \"/srv\"]\n  }\n]\n"},
        {"JSON", "{\n  \"mcpServers\": {\n    \"a\": {\"url\": \"http://x/mcp\"}\n  }\n}\n",
         "{\n  \"mcpServers\": {\n    \"a\": {\"url\": \"http://x/mcp\"},\n    \"files\": {\n      \"command\": "
         "\"npx\",\n      \"args\": [\"-y\", \"server files\", \"/srv\"]\n    }\n  }\n}\n"},
        {"JSON without servers", "{\"listen\": \"127.0.0.1:0\"}",
         "{\"listen\": \"127.0.0.1:0\", \"servers\": [{\"name\": \"files\", \"command\": \"npx\", \"args\": [\"-y\", "
         "\"server files\", \"/srv\"]}]}"},
        {"JSON with tabs and a surrogate pair", "{\n\t\"instructions\": \"\\ud83d\\ude00\",\n\t\"servers\": {}\n}",
         "{\n\t\"instructions\": \"\\ud83d\\ude00\",\n\t\"servers\": {\"files\": {\"command\": \"npx\", \"args\": "
         "[\"-y\", \"server files\", \"/srv\"]}}\n}"},
        {"CRLF and characters of several bytes", "# Gerät\r\nservers:\r\n  - name: a\r\n    url: http://x/mcp\r\n",
         "# Gerät\r\nservers:\r\n  - name: a\r\n    url: http://x/mcp\r\n  - name: files\r\n    command: npx\r\n    "
         "args: [\"-y\", \"server files\", /srv]\r\n"},
        {"a document with markers", "---\nservers:\n  - name: a\n    url: http://x/mcp\n...\n",
         "---\nservers:\n  - name: a\n    url: http://x/mcp\n  - name: files\n    command: npx\n    args: [\"-y\", "
         "\"server files\", /srv]\n...\n"},
        {"the second of two places has servers", "servers:\nmcps:\n- name: a\n  url: http://x/mcp\n",
         "servers:\nmcps:\n- name: a\n  url: http://x/mcp\n- name: files\n  command: npx\n  args: [\"-y\", \"server "
         "files\", /srv]\n"},
        {"services.mcp", "services:\n  mcp:\n    a: {url: http://x/mcp}\n",
         "services:\n  mcp:\n    a: {url: http://x/mcp}\n    files:\n      command: npx\n      args: [\"-y\", \"server "
         "files\", /srv]\n"},
    };
    for (const Row& row : rows) EXPECT_EQ(shown(add_server(row.before, "files", kFiles)), row.after) << row.what;
}

TEST(EditYaml, NestsMapsAndQuotesWhatCouldBeMisread) {
    const JsonObject settings{{"command", "x"},
                              {"env", JsonObject{{"A", "true"}, {"B_C", "${TOKEN}"}, {"D", "1"}, {"E", "say \"hi\""}}},
                              {"cwd", "/tmp"}};
    EXPECT_EQ(
        shown(add_server("servers:\n  yes-1:\n    url: http://x/\n", "n", settings)),
        "servers:\n  yes-1:\n    url: http://x/\n  \"n\":\n    command: x\n    env:\n      A: \"true\"\n      B_C: "
        "\"${TOKEN}\"\n      D: \"1\"\n      E: \"say \\\"hi\\\"\"\n    cwd: /tmp\n");
}

TEST(EditYaml, RemovesAServerWithItsLinesAndNothingElse) {
    const Row rows[] = {
        {"the first of a list",
         "servers:\n  # about a\n  - name: a\n    url: http://x/mcp # there\n  # about b\n  - name: b\n    url: "
         "http://y/mcp\n",
         "servers:\n  # about a\n  # about b\n  - name: b\n    url: http://y/mcp\n"},
        {"the last of a list", "servers:\n  - name: b\n    url: http://y/mcp\n  - name: a\n    url: http://x/mcp",
         "servers:\n  - name: b\n    url: http://y/mcp\n"},
        {"the only one", "servers:\n  - name: a\n    url: http://x/mcp\npath: /mcp\n", "servers:\npath: /mcp\n"},
        {"one of a map",
         "servers:\n  b: {url: http://y/mcp}\n  a:\n    url: http://x/mcp\n    env: # none\n\n  c: {url: "
         "http://z/mcp}\n",
         "servers:\n  b: {url: http://y/mcp}\n\n  c: {url: http://z/mcp}\n"},
        {"a dash on a line of its own",
         "servers:\n  -\n    alias: a\n    url: http://x/mcp\n  - name: b\n    url: http://y/mcp\n",
         "servers:\n  - name: b\n    url: http://y/mcp\n"},
        {"the first in flow style", "servers: [{name: a, url: 'http://x/mcp'}, {name: b, url: 'http://y/mcp'}]\n",
         "servers: [{name: b, url: 'http://y/mcp'}]\n"},
        {"the last in flow style", "servers: [{name: b, url: 'http://y/mcp'}, {name: a, url: 'http://x/mcp'}]\n",
         "servers: [{name: b, url: 'http://y/mcp'}]\n"},
        {"the only one in flow style", "servers: {a: {url: 'http://x/mcp'}}\n", "servers: {}\n"},
        {"the first in JSON",
         "{\n  \"mcpServers\": {\n    \"a\": {\n      \"url\": \"http://x/\"\n    },\n    \"b\": {}\n  }\n}\n",
         "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n"},
        {"the last in JSON",
         "{\n  \"mcpServers\": {\n    \"b\": {},\n    \"a\": {\n      \"url\": \"http://x/\"\n    }\n  }\n}\n",
         "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n"},
        {"CRLF", "servers:\r\n  - name: a\r\n    url: http://x/mcp\r\n  - name: b\r\n    url: http://y/mcp\r\n",
         "servers:\r\n  - name: b\r\n    url: http://y/mcp\r\n"},
    };
    for (const Row& row : rows) EXPECT_EQ(shown(remove_server(row.before, "a")), row.after) << row.what;
}

TEST(EditYaml, SetsAScalarInPlaceOrBehindTheOthers) {
    const Row rows[] = {
        {"a new key in a list",
         "servers:\n  - name: a\n    url: http://x/mcp # there\n\n  - name: b\n    url: http://y/mcp\n",
         "servers:\n  - name: a\n    url: http://x/mcp # there\n    enabled: false\n\n  - name: b\n    url: "
         "http://y/mcp\n"},
        {"a new key in a map, no final newline", "servers:\n  a:\n    url: http://x/mcp",
         "servers:\n  a:\n    url: http://x/mcp\n    enabled: false"},
        {"a key that is there", "servers:\n  a:\n    enabled: true # for now\n    url: http://x/mcp\n",
         "servers:\n  a:\n    enabled: false # for now\n    url: http://x/mcp\n"},
        {"a key without a value", "servers:\n  a:\n    url: http://x/mcp\n    enabled:\n",
         "servers:\n  a:\n    url: http://x/mcp\n    enabled: false\n"},
        {"flow style", "servers: {a: {url: 'http://x/mcp'}}\n",
         "servers: {a: {url: 'http://x/mcp', \"enabled\": false}}\n"},
        {"JSON", "{\"servers\": {\"a\": {\"url\": \"http://x/\", \"enabled\": true}}}",
         "{\"servers\": {\"a\": {\"url\": \"http://x/\", \"enabled\": false}}}"},
        {"behind a nested map",
         "servers:\n  - name: a\n    command: x\n    env:\n      A: b\n  - name: b\n    url: http://y/mcp\n",
         "servers:\n  - name: a\n    command: x\n    env:\n      A: b\n    enabled: false\n  - name: b\n    url: "
         "http://y/mcp\n"},
    };
    for (const Row& row : rows)
        EXPECT_EQ(shown(set_in_server(row.before, "a", "enabled", false)), row.after) << row.what;
}

TEST(EditYaml, ReplacesAnEntry) {
    const JsonObject url{{"url", "http://z/mcp"}};
    EXPECT_EQ(
        shown(replace_server(
            "servers:\n  - name: a\n    command: x # gone\n    args: [y]\n  # stays\n  - name: b\n    url: http://y/\n",
            "a", url)),
        "servers:\n  - name: a\n    url: \"http://z/mcp\"\n  # stays\n  - name: b\n    url: http://y/\n");
    EXPECT_EQ(shown(replace_server("servers:\n  a:\n    command: x\n", "a", url)),
              "servers:\n  a:\n    url: \"http://z/mcp\"\n");
    EXPECT_EQ(shown(replace_server("mcpServers: {a: {command: x}} # c\n", "a", url)),
              "mcpServers: {a: {\"url\": \"http://z/mcp\"}} # c\n");
    EXPECT_EQ(shown(replace_server("servers:\n  a:\n", "a", url)), "servers:\n  a: {\"url\": \"http://z/mcp\"}\n");
}

TEST(EditYaml, SaysWhatItCannotDo) {
    EXPECT_THAT(shown(add_server("servers:\n  files: {url: http://x/}\n", "files", kFiles)),
                HasSubstr("already a server"));
    EXPECT_THAT(shown(add_server("- a\n", "files", kFiles)), HasSubstr("not a map of settings"));
    EXPECT_THAT(shown(add_server("a: [\n", "files", kFiles)), HasSubstr("line "));
    EXPECT_THAT(shown(add_server("x: &s {}\nservers: *s\n", "files", kFiles)), HasSubstr("by hand"));
    EXPECT_THAT(shown(remove_server("servers: []\n", "a")), HasSubstr("no server 'a'"));
    const std::string_view aliased = "x: &s {url: http://x/}\nservers:\n  a: *s\n";
    EXPECT_THAT(shown(set_in_server(aliased, "a", "enabled", false)), HasSubstr("by hand"));
    EXPECT_EQ(shown(remove_server(aliased, "a")), "x: &s {url: http://x/}\nservers:\n");
    // Another server is an alias of this one: removing it would break the file.
    EXPECT_THAT(shown(remove_server("servers:\n  a: &s {url: http://x/}\n  b: *s\n", "a")), HasSubstr("by hand"));
}

TEST(EditYaml, TellsWhatAServerIsSetTo) {
    const auto found = server_in("servers:\n  - name: a\n    enabled: false\n", "a");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->dump(), R"({"name":"a","enabled":false})");
    EXPECT_TRUE(server_in("servers:\n", "a")->is_null());
    EXPECT_FALSE(server_in("servers: [\n", "a"));
}

}  // namespace
}  // namespace gantry::app
