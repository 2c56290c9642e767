#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "auth/seal/sealer.hpp"
#include "base/schema/schema.hpp"
#include "io/scope.hpp"
#include "mcp/handlers/changes.hpp"
#include "mcp/handlers/server.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/protocol/uri_template.hpp"

namespace gantry::mcp {

// Registered entries. They are immutable and only ever replaced, so a call keeps the entry it started with. `shown` is
// the list entry in its newest form.
struct ToolEntry {
    Tool definition;
    ToolHandler handler;
    schema::Schema input;
    std::optional<schema::Schema> output;
    std::vector<HeaderParam> headers;
    Json shown;

    TaskSupport task_support() const;
};
struct ResourceEntry {
    Resource definition;
    ResourceHandler handler;
    Json shown;
};
struct TemplateEntry {
    ResourceTemplate definition;
    ResourceHandler handler;
    UriTemplate pattern;
    Json shown;
};
struct PromptEntry {
    Prompt definition;
    PromptHandler handler;
    Json shown;
};

/// Keyed by name or URI, which is the order of every list.
template <class Entry>
using Entries = std::map<std::string, std::shared_ptr<const Entry>, std::less<>>;

/// The rounds of one modern request.
struct Rounds {
    std::string owner;
    std::string request;  // request_digest(), computed on demand
    bool came_back = false;
};

/// One run of a tool that may become a task. Lives as long as the handler runs, possibly longer than the request.
struct ToolRun {
    ToolRun(std::shared_ptr<const ToolEntry> entry, JsonObject given)
        : tool(std::move(entry)), arguments(std::move(given)) {}

    std::shared_ptr<const ToolEntry> tool;
    JsonObject arguments;
    std::unique_ptr<ServerCall> served = {};
    std::optional<Result<CallToolResult>> outcome = {};
    CancelSource cancel = {};
    Event changed = {};  // the run ended, or became a task
};
using ToolRunPtr = std::shared_ptr<ToolRun>;

/// Implementation of mcp::Server: the registered entries and the request handlers.
class ServerCore {
public:
    ServerCore(Implementation self, ServerOptions options, auth::Sealer* sealer);

    Implementation self;
    ServerOptions options;

    Entries<ToolEntry> tools;
    Entries<ResourceEntry> resources;
    Entries<TemplateEntry> templates;
    Entries<PromptEntry> prompts;
    std::map<std::pair<std::string, std::string>, Completer> prompt_completers;    // prompt, argument
    std::map<std::pair<std::string, std::string>, Completer> template_completers;  // template, variable

    Changes changes;
    TaskTable tasks;
    Scope scope;  // runs tools that may become tasks

    /// Drops everything derived from the registered entries and notifies listeners.
    void offers_changed(Change::Kind kind);
    std::shared_ptr<const ServerProfile> profile(const Peer& peer);
    bool knows(std::string_view uri) const;
    bool has_task_tools() const;
    Interest honour(const Peer& peer, Interest wanted);

    Task<Answer> answer(const Context& ctx, const Call& call, ReplyChannel& line);

private:
    // server_lists.cpp
    Answer list(const Call& call);
    template <class Entry>
    Answer list_entries(const Call& call, const Entries<Entry>& entries, std::string_view member, char tag,
                        Json (*show)(Json, Revision));

    // server_tools.cpp
    Task<Answer> call_tool(const Context& ctx, const Call& call, ReplyChannel& line);
    Task<Answer> run_in_place(const Context& ctx, const Call& call, ReplyChannel& line, Json params, ToolRunPtr run);
    Task<Answer> run_apart(const Context& ctx, const Call& call, ReplyChannel& line, Json params, ToolRunPtr run);
    Answer run_as_task(const Call& call, ReplyChannel& line, const CallToolParams& params, ToolRunPtr run);
    Task<void> drive(ToolRunPtr run, Context ctx);
    Answer conclude(const Context& ctx, const Call& call, ToolRun& run, const Rounds& rounds) const;
    /// Encodes the handler's result for the client's revision; an Error carries the JSON-RPC error.
    Result<JsonObject> render(const ToolEntry& tool, Result<CallToolResult> outcome, Revision revision,
                              bool* is_error = nullptr) const;
    Answer created(const Call& call, const TaskRecord& task) const;

    // server_tasks.cpp
    Task<Answer> serve_task(const Context& ctx, const Call& call, ReplyChannel& line);
    Task<Answer> task_result(const Context& ctx, const Call& call, ReplyChannel& line, TaskPtr task);
    Task<void> put_question(Context ctx, PeerPtr peer, ReplyChannel& line, TaskPtr task, std::string key,
                            InputRequest request);
    Answer list_tasks(const Call& call, const Json& params);
    void tell_task(const TaskRecord& task);

    // server_reads.cpp
    Task<Answer> get_prompt(const Context& ctx, const Call& call, ReplyChannel& line);
    Task<Answer> read_resource(const Context& ctx, const Call& call, ReplyChannel& line);
    Task<Answer> complete(const Context& ctx, const Call& call);

    // server_rounds.cpp
    /// Passes the client's answers and state to the call. An error must be answered with -32602.
    Result<Rounds> open_rounds(const Call& call, const Json& params, ServerCall& served) const;
    Answer ask_client(const Call& call, const ServerCall& served, const Rounds& rounds) const;
    /// True if the handler failed only because an answer of the client is missing.
    static bool waits_for_client(const ServerCall& served, const Error& error);

    static ServerCall::Asking asking_of(const Call& call);
    std::unique_ptr<ServerCall> serve(const Call& call, ReplyChannel& line, JsonObject meta) const;
    Answer finished(const Call& call, Json result) const;
    ServerCapabilities capabilities(bool modern) const;
    auth::Sealer& sealer() const { return *sealer_; }

    std::optional<auth::Sealer> own_sealer_;
    auth::Sealer* sealer_;                                                                 // the caller's, or our own
    std::array<std::shared_ptr<const ServerProfile>, 2> profiles_;                         // by era
    std::map<std::pair<char, Revision>, std::shared_ptr<const std::string>> first_pages_;  // by list
};

}  // namespace gantry::mcp
