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

/// The sources of a configuration, and of the next one: what serves both is taken over.
class SourceMaker {
public:
    /// Sources share what `options` holds: start limits, known eras, secrets, sandbox.
    SourceMaker(Loop& loop, gateway::McpSourceOptions options) : loop_(loop), options_(std::move(options)) {}

    struct Made {
        std::vector<gateway::Registered> all = {};
        /// Those of them that are new and were not started yet.
        std::vector<std::shared_ptr<gateway::Source>> fresh = {};
    };
    /// As `next` wants them, with those of the last keep() wherever their connections fit.
    Made make(const Config& next) const;
    /// What was made for `config` is in force now.
    void keep(const Config& config, const Made& made);
    /// The next make() gives this server a new source, whatever stays the same.
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
