#pragma once

#include <memory>
#include <vector>

#include "app/config/config.hpp"
#include "gateway/registry/registry.hpp"
#include "gateway/sources/mcp/options.hpp"

namespace gantry {
class Loop;
}

namespace gantry::app {

/// Creates the sources of a configuration, and of the next one, reusing those that serve both.
class SourceMaker {
public:
    /// Sources share the contents of `options`: start limits, known eras, secrets, sandbox.
    SourceMaker(Loop& loop, gateway::McpSourceOptions options) : loop_(loop), options_(std::move(options)) {}

    struct Made {
        std::vector<gateway::Registered> all = {};
        /// Sources that are new and not started yet.
        std::vector<std::shared_ptr<gateway::Source>> fresh = {};
    };
    /// The sources for `next`, reusing those of the last keep() where their connections fit.
    Made make(const Config& next) const;
    /// Records that the sources made for `config` are now in use, and passes settings that need no new connection to
    /// those that are reused.
    void keep(const Config& config, const Made& made);
    /// Makes the next make() create a new source for this server, even if nothing has changed.
    void forget(std::string_view server);

private:
    struct Kept {
        gateway::McpServerSpec spec;
        std::shared_ptr<gateway::Source> source;
    };
    std::shared_ptr<gateway::Source> kept(const gateway::McpServerSpec& spec) const;

    Loop& loop_;
    gateway::McpSourceOptions options_;
    std::vector<Kept> kept_;
    std::shared_ptr<gateway::Source> demo_;
};

}  // namespace gantry::app
