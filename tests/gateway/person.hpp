#pragma once
// Test support: a user of the machine as the isolation rules see one, with a home outside /tmp, where dot files and
// start-up files matter, and a gateway with configuration and state at their default locations.

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

/// The user of the tests, or an ordinary one that root becomes. Home and other folders are removed with the object.
class Person {
public:
    explicit Person(bool ordinary);
    ~Person();
    Person(const Person&) = delete;
    Person& operator=(const Person&) = delete;

    /// Why this person is not available here; empty otherwise.
    const std::string& missing() const noexcept { return missing_; }

    const std::string& home() const noexcept { return home_; }
    /// A folder of this person outside the home, if possible in /var/lib: a system folder, which no server may write
    /// unless its arguments name it.
    const std::string& elsewhere() const noexcept { return elsewhere_; }
    /// Adds the ordinary user to a group, from the next command on.
    void join(gid_t group) noexcept { group_ = group; }

    /// Writes a file as this person, creating parent folders.
    void put(const std::string& file, const std::string& text) const;
    /// Whether this person may run the program and everything it needs, determined by starting it.
    bool can_run(std::vector<std::string> command) const;
    /// The output of a command run as this person; fails the test if the command fails.
    std::string run(std::vector<std::string> command) const;
    /// A command as this person, in this person's home and with this person's environment.
    Child::Options as(std::vector<std::string> command) const;

private:
    void give(const std::string& path) const;

    bool ordinary_;
    gid_t group_ = 0;  // 0: none
    std::string missing_;
    std::string home_;
    std::string elsewhere_;
};

/// `gantry serve` as this person, with only the servers configured.
class PersonsGateway {
public:
    /// `servers` as YAML. `startup_limit` is the time for downloads before they offer a tool.
    PersonsGateway(const Person& person, const std::string& servers,
                   std::chrono::seconds startup_limit = std::chrono::seconds(60));

    /// The text of a tool's result, or the error. Waits while the server is starting.
    std::string call(const std::string& tool, const JsonObject& arguments);
    /// A server's own home.
    std::string home_of(const std::string& server) const;
    /// The output of the gateway and its servers so far.
    std::string said() const { return gateway_.out() + gateway_.err(); }
    Child& child() noexcept { return gateway_; }

private:
    const Person& person_;
    std::chrono::seconds startup_limit_;
    Child gateway_;
    std::optional<Client> client_;
};

/// A server with only a command and arguments, as YAML.
std::string plain_server(const std::string& name, const std::vector<std::string>& command);

}  // namespace gantry::testing

/// Skips unless `person` is available and the kernel supports all of isolation.
#define SKIP_WITHOUT_ISOLATION(person)                                                                                \
    for (const auto& part : {gantry::gateway::sandbox::kernel().namespaces,                                           \
                             gantry::gateway::sandbox::kernel().landlock, gantry::gateway::sandbox::kernel().filter}) \
        if (!part.available) GTEST_SKIP() << part.name << ": " << part.why;                                           \
    if (!(person).missing().empty()) GTEST_SKIP() << (person).missing()
