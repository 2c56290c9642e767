#pragma once

#include <functional>
#include <string>

#include "gateway/model/source_spec.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/sources/mcp/options.hpp"
#include "io/sync.hpp"

namespace gantry::gateway {

/// What a source is at the moment, shared by its parts: they report here, and here its watcher, the operator and the
/// tasks that wait for a change hear of it. On the loop.
class SourceStatus {
public:
    /// Both must outlive it.
    SourceStatus(const McpServerSpec& spec, const McpSourceOptions& options) : spec_(spec), options_(options) {}

    SourceState state() const noexcept { return state_; }
    SourceHealth health() const noexcept { return health_; }
    /// A readable reason why it is not ready; empty when it is, and nothing is wrong.
    const std::string& trouble() const noexcept { return trouble_; }
    bool stopping() const noexcept { return stopping_; }

    void set_state(SourceState state, std::string trouble);
    void set_health(SourceHealth health) noexcept { health_ = health; }
    /// A better reason for the same state.
    void set_trouble(std::string trouble) { trouble_ = std::move(trouble); }
    void stop() noexcept { stopping_ = true; }

    /// Wakes the tasks in wait(). Whatever they may wait for: state, stale lists, a new inventory, a survey.
    void pulse() noexcept { changed_.pulse(); }
    Task<Result<void>> wait(const Context& ctx) { return changed_.wait(ctx); }

    void watch(std::function<void(const SourceChange&)> watcher) { watcher_ = std::move(watcher); }
    void tell(const SourceChange& change) const {
        if (watcher_) watcher_(change);
    }
    /// For the operator.
    void problem(const Error& why) const;

private:
    const McpServerSpec& spec_;
    const McpSourceOptions& options_;
    SourceState state_ = SourceState::kIdle;
    SourceHealth health_ = SourceHealth::kNotInitialized;
    std::string trouble_;
    bool stopping_ = false;
    std::function<void(const SourceChange&)> watcher_;
    Event changed_;
};

/// The error's message and those of its causes; the innermost names what happened.
std::string reason(const Error& error);

}  // namespace gantry::gateway
