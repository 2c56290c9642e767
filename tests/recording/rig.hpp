#pragma once

#include <signal.h>

#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bad_clients/rig.hpp"

namespace gantry::testing {

/// The result of a program.
struct Ran {
    std::optional<int> code;
    std::string out;
    std::string err;
};
inline Ran run(std::vector<std::string> command) {
    Child child({.command = std::move(command), .env = {}});
    const auto code = child.wait();
    return {code, child.out(), child.err()};
}

inline Ran verify(const std::string& state) {
    return run({gantry_program(), "audit", "verify", "--state-dir", state});
}

/// All entries of the journal, as events.
inline std::vector<Json> entries(const std::string& state, const std::string& type = {}) {
    const Ran shown =
        run({gantry_program(), "audit", "show", "--state-dir", state, "--last", "10000000", "--type", type});
    EXPECT_EQ(shown.code, 0) << shown.err;
    std::vector<Json> found;
    std::istringstream lines(shown.out);
    for (std::string line; std::getline(lines, line);) {
        auto entry = Json::parse(line);
        EXPECT_TRUE(entry.has_value()) << line;
        if (entry) found.push_back(*std::move(entry));
    }
    return found;
}

/// The message arguments of all recorded demo_echo calls; needs `arguments: values`.
inline std::multiset<std::string> recorded_messages(const std::string& state) {
    std::multiset<std::string> messages;
    for (const Json& entry : entries(state, "tool.called")) {
        const Json* message = entry.at_pointer("/data/params/message");
        if (message != nullptr && message->is_string()) messages.insert(*message->if_string());
    }
    return messages;
}

inline std::string echo_request(const std::string& message, const Fields& more = {}) {
    return request("POST", "/mcp", modern("1", "tools/call", echo_params(message)),
                   modern_fields("tools/call", "demo_echo") + more);
}

/// One call; empty if the gateway ended before answering it.
inline std::optional<std::string> echo(RawClient& client, const std::string& message) {
    if (!client.send(echo_request(message))) return std::nullopt;
    const RawReply reply = client.reply();
    if (reply.status != 200 || !reply.whole) return std::nullopt;
    return reply.text();
}

}  // namespace gantry::testing
