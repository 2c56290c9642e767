#pragma once
// A user of the machine as the rules of isolation see one: with a home outside /tmp, where dot files and start-up files
// count, and a gateway that keeps its configuration and state where it does by default.

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gantry/client.hpp"
#include "gateway/sandbox/kernel.hpp"
#include "support/child.hpp"

namespace gantry::testing {

/// The user of the tests, or an ordinary one that root becomes. Home and other folders go with the object.
class Person {
public:
    explicit Person(bool ordinary);
    ~Person();
    Person(const Person&) = delete;
    Person& operator=(const Person&) = delete;

    /// Why this person cannot be had here; empty otherwise.
    const std::string& missing() const noexcept { return missing_; }

    const std::string& home() const noexcept { return home_; }
    /// A folder of this person's outside the home, where possible in /var/lib: a part of the system, which no server
    /// writes to unless its arguments say so.
    const std::string& elsewhere() const noexcept { return elsewhere_; }
    /// A group the ordinary user is in besides its own, from the next command on.
    void join(gid_t group) noexcept { group_ = group; }

    /// Writes a file as this person, with the folders above it.
    void put(const std::string& file, const std::string& text) const;
    /// Whether this person may run the program and everything it is made of, found by starting it.
    bool can_run(std::vector<std::string> command) const;
    /// What a command of this person's prints; fails the test when it fails.
    std::string run(std::vector<std::string> command) const;
    /// A command as this person, in this person's home and with this person's variables.
    Child::Options as(std::vector<std::string> command) const;

private:
    void give(const std::string& path) const;

    bool ordinary_;
    gid_t group_ = 0;  // 0: none
    std::string missing_;
    std::string home_;
    std::string elsewhere_;
};

/// `gantry serve` as this person, with no more said than which servers there are.
class PersonsGateway {
public:
    /// `servers` as YAML. `patience` is for what they fetch before they offer a tool.
    PersonsGateway(const Person& person, const std::string& servers,
                   std::chrono::seconds patience = std::chrono::seconds(60));

    /// The text of a tool's result, or why there is none. Waits while the server is still being started.
    std::string call(const std::string& tool, const JsonObject& arguments);
    /// The own home of a server.
    std::string home_of(const std::string& server) const;
    /// What the gateway and its servers have written so far.
    std::string said() const { return gateway_.out() + gateway_.err(); }
    Child& child() noexcept { return gateway_; }

private:
    const Person& person_;
    std::chrono::seconds patience_;
    Child gateway_;
    std::optional<Client> client_;
};

/// A server with a command and arguments and nothing else, as YAML.
std::string plain_server(const std::string& name, const std::vector<std::string>& command);

}  // namespace gantry::testing

/// Skips unless `person` is there and the kernel has every part of isolation.
#define SKIP_WITHOUT_ISOLATION(person)                                                                                \
    for (const auto& part : {gantry::gateway::sandbox::kernel().namespaces,                                           \
                             gantry::gateway::sandbox::kernel().landlock, gantry::gateway::sandbox::kernel().filter}) \
        if (!part.available) GTEST_SKIP() << part.name << ": " << part.why;                                           \
    if (!(person).missing().empty()) GTEST_SKIP() << (person).missing()
