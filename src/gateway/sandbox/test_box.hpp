#pragma once
// Test support: a miniature machine with secrets in a home, a state folder, and a misbehaving server.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gateway/sandbox/sandbox.hpp"
#include "io/loop.hpp"
#include "io/process/process.hpp"
#include "support/paths.hpp"

namespace gantry::gateway::sandbox::testing {

namespace fs = std::filesystem;

/// For boxes whose home must not be in a world-writable folder.
inline const std::string kOutsideTmp = gantry::test_support::built_path("tests/boxes");

inline const std::string kAttacker = gantry::test_support::built_path("tests/gantry_sandbox_attacker");

/// No operation takes this long; it only turns a hang into a failure.
inline Context watchdog() {
    return Context::background().within(seconds(60));
}

/// Name suffix of a test that runs at every level.
inline std::string level_name(const ::testing::TestParamInfo<IsolationLevel>& level) {
    constexpr const char* kNames[] = {"off", "standard", "strict"};
    return kNames[static_cast<int>(level.param)];
}

struct Told {
    std::string text;  // its stdout, without the last line end
    process::ExitStatus status;
};

inline Task<std::string> read_to_end(Stream& stream) {
    std::string text;
    char buffer[8192];
    for (;;) {
        auto size = co_await stream.read_some(watchdog(), buffer);
        if (!size || *size == 0) co_return text;
        text.append(buffer, *size);
    }
}

class Box {
public:
    /// In `where`, which is made where that is possible; where it is not, `base` is empty.
    explicit Box(const std::string& where = "/tmp") {
        std::error_code ignored;
        fs::create_directories(where, ignored);
        std::string name = where + "/gantry-sandbox-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) return;
        base = fs::canonical(name).string();
        for (const char* folder : {"/state", "/home/.ssh", "/home/project", "/elsewhere"})
            fs::create_directories(base + folder);
        put("/home/.ssh/id", "the key");
        put("/home/.netrc", "the password");
        put("/home/project/notes", "the notes");
        put("/elsewhere/file", "the file");
        put("/state/sealing.key", "the sealing key");
        options.places = {
            .state = base + "/state", .homes = base + "/state/homes", .home = base + "/home", .cwd = base};
        options.on_note = [this](const std::string&, const std::string& what) { notes.push_back(what); };
        server.name = "evil";
        server.command = kAttacker;
    }
    ~Box() {
        std::error_code ignored;
        if (!base.empty()) fs::remove_all(base, ignored);
    }
    Box(const Box&) = delete;
    Box& operator=(const Box&) = delete;

    void put(const std::string& file, const std::string& text) const { std::ofstream(base + file) << text; }

    /// A path that is to be tried is not named plainly, for a command line may name what its server works on.
    Result<process::Command> command(std::vector<std::string> args) {
        server.args = std::move(args);
        if (server.command == kAttacker && server.args.size() == 2 && server.args[1].starts_with('/'))
            server.args[1].insert(0, "path:");
        process::Command command{
            .program = server.command, .args = server.args, .env = process::default_environment(), .cwd = server.cwd};
        for (const auto& [name, value] : server.env) process::set_variable(command.env, name, value);
        if (!sandbox) sandbox = std::make_unique<LocalSandbox>(options);
        if (auto confined = sandbox->confine(server, command); !confined) return fail(confined.error());
        command.on_stderr = [this](std::string_view line) { said.append(line).append("\n"); };
        return command;
    }

    Result<std::unique_ptr<process::Process>> start(std::vector<std::string> args) {
        auto made = command(std::move(args));
        if (!made) return fail(made.error());
        return loop.run_until_done(process::Process::start(watchdog(), *std::move(made)));
    }

    /// What the server says before it ends.
    Told run(std::vector<std::string> args) {
        auto process = start(std::move(args));
        if (!process) return {.text = "not started: " + process.error().to_string(), .status = {}};
        return loop.run_until_done(finish(**process));
    }
    std::string say(std::vector<std::string> args) { return run(std::move(args)).text; }

    Isolation& wish() { return server.isolation; }

    Loop loop;
    std::string base;
    Options options;
    McpServerSpec server;
    std::unique_ptr<LocalSandbox> sandbox;
    std::vector<std::string> notes;
    std::string said;

private:
    static Task<Told> finish(process::Process& process) {
        Told told;
        told.text = co_await read_to_end(process.stdio());
        if (told.text.ends_with('\n')) told.text.pop_back();
        auto status = co_await process.wait(watchdog());
        if (status) told.status = *status;
        co_return told;
    }
};

}  // namespace gantry::gateway::sandbox::testing
