#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "gateway/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {

using ::testing::HasSubstr;
using ::testing::Not;

struct Ran {
    std::optional<int> code;
    std::string out;
    std::string err;
};

/// Runs programs in a home of their own, so that no configuration, gateway or cache of the user is found.
class Home {
public:
    std::string path(const std::string& below = {}) const {
        return folder_.path() + (below.empty() ? "" : "/" + below);
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
    std::string read(const std::string& name) const {
        std::ifstream in(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    Ran run(std::vector<std::string> command) const {
        // env -C: the home is also where it runs.
        command.insert(command.begin(), {"/usr/bin/env", "-C", path(), "XDG_DATA_HOME=" + path("data")});
        Child child({.command = std::move(command),
                     .env = {{"NO_COLOR", "1"},
                             {"HOME", path()},
                             {"XDG_CACHE_HOME", path("cache")},
                             {"GANTRY", gantry_program()}}});
        Ran ran{.code = child.wait(std::chrono::seconds(120))};
        ran.out = child.out();
        ran.err = child.err();
        return ran;
    }
    Ran gantry(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), gantry_program());
        return run(std::move(arguments));
    }
    /// Runs in a real bash, where $GANTRY is the program.
    Ran bash(const std::string& script) const { return run({"/bin/bash", "-c", script}); }

private:
    TempDir folder_;
};

inline std::string hello_server() {
    return gantry::test_support::built_path("examples/hello_server");
}
inline std::string everything_server() {
    return gantry::test_support::built_path("examples/everything_server");
}

}  // namespace gantry::testing
