#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/config.hpp"
#include "app/config/test_schema.hpp"

namespace gantry::app {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string fault_of(std::string_view text) {
    const auto config = parse_config(text, "g.yaml");
    return config ? "no fault" : config.error().message();
}

TEST(ConfigFaults, SayWhereWhatAndWhatWasExpected) {
    const struct {
        std::string_view text, says;
        /// Semantically wrong, so that the schema cannot detect it.
        bool by_meaning = false;
    } rows[] = {
        {"servers:\n  - name: a\n    command: x\n    timout: 5s\n",
         "g.yaml:4:5: servers[0].timout: unknown key; did you mean 'timeout'?"},
        {"servers:\n  - name: a\n    command: x\n    env: {A: '${NOPE'}\n",
         "g.yaml:4:11: servers[0].env.A: '${' without '}'", true},
        {"onCollision: error\n", "g.yaml:1:1: onCollision: unknown key; did you mean 'on_collision'?"},
        {"on-collision: error\n", "did you mean 'on_collision'?"},
        {"mcp_servers: []\n", "g.yaml:1:1: mcp_servers: unknown key; did you mean"},
        {"qqqqqq: 1\n", "g.yaml:1:1: qqqqqq: unknown key"},
        {"timeout: soon\n", "g.yaml:1:1: timeout: expected a duration such as 30s"},
        {"timeout: 0\n", "expected a duration"},
        {"timeout: '0s'\n", "expected a duration", true},
        {"timeout: -5\n", "expected a duration"},
        {"timeout: 5x\n", "expected a duration"},
        {"timeout: 1h5\n", "expected a duration"},
        {"timeout: 999d\n", "expected a duration", true},
        {"timeout: [5]\n", "expected a duration"},
        {"limits: {max_request_bytes: lots}\n", "g.yaml:1:10: limits.max_request_bytes: expected a size"},
        {"limits: {max_request_bytes: 0}\n", "expected a size"},
        {"limits: {max_request_bytes: 5XB}\n", "expected a size"},
        {"limits: {list_page_size: 0}\n", "limits.list_page_size: expected a whole number, at least 1"},
        {"limits: {max_conections: 5}\n", "did you mean 'max_connections'?"},
        {"limits: 5\n", "limits: expected a map of settings"},
        {"stateless: yes\n", "stateless: expected true or false"},
        {"max_tools: -1\n", "max_tools: expected a whole number"},
        {"max_tools: 1.5\n", "expected a whole number"},
        {"listen: 8090\n", "listen: expected an address and a port"},
        {"listen: 127.0.0.1\n", "listen: expected"},
        {"listen: 127.0.0.1:99999\n", "listen: expected", true},
        {"listen: 'a b:1'\n", "listen: expected"},
        {"path: mcp\n", "path: expected a path such as /mcp"},
        {"path: /mcp/\n", "path: expected"},
        {"path: /\n", "path: expected"},
        {"on_collision: explode\n", "on_collision: expected one of: error, suffix, first"},
        {"[]\n", "g.yaml: expected settings such as"},
        {"just text\n", "g.yaml: expected settings such as"},
        {"servers: 5\n", "servers: expected a list of servers"},
        {"servers: [5]\n", "servers[0]: expected a map of settings"},
        {"servers: [{command: x}]\n", "servers[0]: needs a name"},
        {"servers: [{name: 'a b', command: x}]\n", "servers[0].name: expected 1 to 64 letters"},
        {"servers: [{name: '../x', command: x}]\n", "servers[0].name: expected"},
        {"mcpServers: {'a b': {command: x}}\n", "mcpServers.a b: as a name, expected 1 to 64 letters"},
        {"servers: [{name: a}]\n", "servers[0]: needs a command (a program to start) or a url"},
        {"servers: [{name: a, command: x, url: 'http://h/'}]\n", "servers[0]: has both a command and a url"},
        {"servers: [{name: a, command: ''}]\n", "servers[0].command: expected a program"},
        {"servers: [{name: a, command: []}]\n", "servers[0].command: expected a program"},
        {"servers: [{name: a, url: 'ftp://h/'}]\n", "servers[0].url: not a usable URL"},
        {"servers: [{name: a, url: 'http://h/', args: [x]}]\n", "servers[0].args: only for a server with a command"},
        {"servers: [{name: a, url: 'http://h/', env: {A: b}}]\n", "servers[0].env: only for a server with a command"},
        {"servers: [{name: a, command: x, headers: {A: b}}]\n", "servers[0].headers: only for a server with a url"},
        {"servers: [{name: a, command: x, path: /sse}]\n",
         "servers[0].path: only for a command with transport: http or sse"},
        {"servers: [{name: a, url: 'http://h/', transport: sse, path: /sse}]\n",
         "servers[0].path: only for a command with transport: http or sse"},
        {"servers: [{name: a, command: x, type: stdio, ready_when: up}]\n",
         "servers[0].ready_when: only for a command with transport: http or sse"},
        {"servers: [{name: a, command: x, type: sse, path: sse}]\n", "servers[0].path: expected a path such as /mcp"},
        {"servers: [{name: a, command: x, type: sse, path: //h/}]\n", "servers[0].path: expected a path such as /mcp"},
        {"servers: [{name: a, command: x, type: sse, path: '/a b'}]\n",
         "servers[0].path: expected a path such as /mcp"},
        {"servers: [{name: a, command: x, type: sse, path: '/a#b'}]\n",
         "servers[0].path: expected a path such as /mcp"},
        {"servers: [{name: a, url: 'http://h/', transport: stdio}]\n", "stdio needs a command", true},
        {"servers: [{name: a, url: 'http://h/', transport: tcp}]\n",
         "servers[0].transport: expected one of: auto, stdio, http"},
        {"servers: [{name: a, command: x, sharing: all}]\n", "servers[0].sharing: expected one of: auto, shared"},
        {"servers: [{name: a, command: x, era: old}]\n", "servers[0].era: expected one of: auto, legacy, modern"},
        {"servers: [{name: a, command: x, prefix: [x]}]\n", "servers[0].prefix: expected a text, or none"},
        {"servers: [{name: a, command: x, allow: {x: y}}]\n", "servers[0].allow: expected a list of texts"},
        {"servers: [{name: a, command: x, allow: [x, [y]]}]\n", "servers[0].allow[1]: expected text"},
        {"servers: [{name: a, command: x, env: [A=b]}]\n", "servers[0].env: expected a map from names to texts"},
        {"servers: [{name: a, command: x, env: {A: [b]}}]\n", "servers[0].env.A: expected text"},
        {"servers: [{name: a, command: x, env: {A: }}]\n", "servers[0].env.A: expected text"},
        {"servers: [{name: a, command: x, max_lanes: 0}]\n",
         "servers[0].max_lanes: expected a whole number, at least 1"},
        {"servers: [{name: a, url: 'http://h/', headers: {'a b': c}}]\n", "a header's name is"},
        {"servers: [{name: a, url: 'http://h/', headers: {Mcp-Session-Id: c}}]\n", "set by the gateway itself", true},
        {"servers: [{name: a, url: 'http://h/', headers: {A: \"b\\nc\"}}]\n", "a header's value is one line", true},
        {"servers: [{name: a, command: x}, {name: a, command: y}]\n", "servers[1]: there is already a server 'a'",
         true},
        {"servers: [{name: a, command: x}]\nmcpServers: {a: {command: y}}\n", "mcpServers.a: there is already a server",
         true},
        {"servers: [{name: a, alias: b, command: x}]\n",
         "servers[0].alias: means the same as 'name'; keep one of them"},
        {"servers: [{name: a, command: x, allow: [y], tool_filter: [z]}]\n", "means the same as 'allow'"},
        {"servers: [{name: a, command: x, require_approval: sometimes}]\n", "expected always, never, or a map"},
        {"servers: [{name: a, command: x, require_approval: {ever: [y]}}]\n", "did you mean 'never'?"},
        {"servers: [{name: a, command: x, require_approval: {always: {}}}]\n",
         "servers[0].require_approval.always: needs tool_names"},
        {"servers: [{name: a, command: x, require_approval: {never: {tool_name: [y]}}}]\n",
         "unknown key; did you mean 'tool_names'?"},
        {"servers: [{name: a, command: x, require_approval: {always: {tool_names: [[y]]}}}]\n",
         "servers[0].require_approval.always.tool_names[0]: expected text"},
        {"services: {mcps: []}\n", "services.mcps: unknown key; did you mean 'mcp'?"},
        {"version: 1\n", "version: only in an extension's manifest"},
        {"max_tools: '1x'\n", "expected a whole number"},
        {"groups: [{name: g}]\n", "groups[0]: needs servers or tools", true},
        {"groups: [{servers: [a]}]\n", "groups[0]: needs a name"},
        {"groups: {g: [a], h: 5}\n", "groups.h: expected a map of settings"},
        {"groups: [{name: g, tools: [a]}, {name: g, tools: [a]}]\n", "groups[1]: there is already a group 'g'", true},
    };
    for (const auto& row : rows) {
        EXPECT_THAT(fault_of(row.text), HasSubstr(row.says)) << row.text;
        EXPECT_EQ(schema_refuses(row.text).empty(), row.by_meaning) << row.text << schema_refuses(row.text);
    }
}

TEST(ConfigFaults, AreAllToldAtOnceInTheOrderOfTheFile) {
    EXPECT_EQ(fault_of("groups: {g: {server: [a]}}\n"
                       "servers:\n"
                       "  - name: a\n"
                       "    comand: x\n"
                       "  - name: b\n"
                       "    command: x\n"
                       "    era: old\n"
                       "listne: x\n"),
              "g.yaml:1:10: groups.g: needs servers or tools\n"
              "g.yaml:1:14: groups.g.server: unknown key; did you mean 'servers'?\n"
              "g.yaml:3:5: servers[0]: needs a command (a program to start) or a url\n"
              "g.yaml:4:5: servers[0].comand: unknown key; did you mean 'command'?\n"
              "g.yaml:7:5: servers[1].era: expected one of: auto, legacy, modern\n"
              "g.yaml:8:1: listne: unknown key; did you mean 'listen'?");
}

TEST(ConfigFaults, NeverRepeatAValue) {
    for (const std::string_view text : {
             "servers: [{name: a, command: x, env: {T: [s3cret]}}]",
             "servers: [{name: a, command: x, env: {'T=s3cret': x}}]",
             "servers: [{name: a, url: 's3cret'}]",
             "servers: [{name: a, url: 'https://user:s3cret@h/'}]",
             "servers: [{name: a, url: 'http://h/', headers: {'Bearer s3cret': x}}]",
             "servers: [{name: a, url: 'http://h/', headers: {Authorization: \"s3cret\\nx\"}}]",
             "servers: [{name: s3cret value, command: x}]",
             "servers: [{name: a, command: x, era: s3cret}]",
             "servers: [{name: a, command: x, timeout: s3cret}]",
             "servers: [s3cret]",
             "listen: s3cret",
             "path: s3cret",
             "limits: s3cret",
             "stateless: s3cret",
             "s3cret",
         }) {
        EXPECT_NE(fault_of(text), "no fault") << text;
        EXPECT_THAT(fault_of(text), Not(HasSubstr("s3cret"))) << text;
    }
}

TEST(ConfigFaults, ThousandsAreCutShort) {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "key" + std::to_string(i) + "qqqqqq: 1\n";
    const std::string told = fault_of(text);
    EXPECT_LT(told.size(), 10'000u);
    EXPECT_THAT(told, HasSubstr("and 4950 more"));
}

TEST(ConfigFaults, BadYamlIsToldWithItsPlace) {
    const auto config = parse_config("a:\n\t- b\n", "g.yaml");
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code(), ErrorCode::kParse);
    EXPECT_THAT(config.error().message(), HasSubstr("g.yaml:2:1: "));
}

}  // namespace
}  // namespace gantry::app
