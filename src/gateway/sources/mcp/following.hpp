#pragma once

#include <set>
#include <string>

#include "gateway/sources/mcp/legacy_tasks.hpp"
#include "gateway/sources/mcp/modern_tasks.hpp"
#include "gateway/sources/mcp/shared_connection.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::gateway {

/// What is followed for clients over the shared connection: resources, and tasks of both kinds. See Source::follow(),
/// follow_tasks(). On the loop.
class Following {
public:
    /// All references must outlive it; its tasks run in `scope`.
    struct Parts {
        const McpServerSpec& spec;
        SourceStatus& status;
        Scope& scope;
        const SharedConnection& connection;
        LegacyTasks& legacy_tasks;
        ModernTasks& modern_tasks;
    };
    explicit Following(const Parts& parts) : parts_(parts) {}

    Task<std::set<std::string>> follow(const Context& ctx, std::set<std::string> uris);
    Task<std::set<std::string>> follow_tasks(const Context& ctx, std::set<std::string> ids);

    bool wants_resources() const noexcept { return !wanted_.empty(); }
    /// Nothing is followed, so the connection may be closed.
    bool idle() const noexcept { return wanted_.empty() && followed_tasks_.empty(); }
    /// Subscribes to what is wanted. Returns the URIs whose changes the server will report.
    Task<std::set<std::string>> apply(const Context& ctx);
    void on_closed() noexcept { followed_.clear(); }
    /// The server reported progress of a task over the shared connection.
    void on_task(const mcp::TaskState& task);
    /// Notifications may have been missed: polls the followed tasks.
    void on_gap();

private:
    Task<void> look_at_tasks();
    void tell_task(Json task, const std::string& own_id);

    Parts parts_;
    std::set<std::string> wanted_;          // resource URIs
    std::set<std::string> followed_;        // survive reconnects inside the client
    std::set<std::string> followed_tasks_;  // ids as the server knows them
    AsyncMutex applying_;
};

}  // namespace gantry::gateway
