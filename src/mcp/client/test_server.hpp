#pragma once
// A scripted MCP server in the same loop and a client connected to it; for the tests of this folder.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/client/client.hpp"
#include "mcp/client/era_cache.hpp"
#include "mcp/transport/memory.hpp"
#include "mcp/transport/testing.hpp"

namespace gantry::mcp::testing {

/// One message as received by the server; `id` is empty for a notification.
struct Heard {
    std::string method;
    Json params;
    std::optional<RequestId> id;
    int connection = 0;

    /// The string at a JSON pointer into the params; empty if it is not a string.
    std::string text(const std::string& pointer) const;
};

/// Answers requests by method. By default it supports the handshake of its revision, ping and the modern subscription;
/// everything else is "method not found" until a test defines it.
class TestServer {
public:
    using Answer = std::expected<Json, RpcError>;
    /// Empty: no answer yet; the test may send one later.
    using Handler = std::function<std::optional<Answer>(const Heard&)>;

    explicit TestServer(Revision revision);

    Revision revision;
    JsonObject capabilities;
    /// Number of upcoming connects that fail.
    int refuse = 0;
    int connects = 0;
    std::vector<Heard> heard;

    void on(std::string method, Handler handler) { handlers_[std::move(method)] = std::move(handler); }
    void reply(std::string method, Json result);
    void reply_error(std::string method, std::int64_t code, std::string message, std::string data = {});
    /// Closes the connection on that request, as a crash would.
    void die_on(std::string method);
    void ignore(std::string method);

    std::size_t count(const std::string& method) const;
    /// The n-th message with that method, counted from 0; waits for it. Fails the test if it does not come.
    Task<Heard> nth(std::string method, std::size_t n = 0);
    /// Waits until a condition on the server's or client's state holds. Code that changes it calls wake().
    Task<bool> until(std::function<bool()> condition);
    void wake() { changed_.pulse(); }

    Task<void> answer(RequestId id, Json result);
    Task<void> answer_without_id(RpcError error);
    Task<void> notify(std::string method, Json params = nullptr);
    /// Sends a request of the server; returns the client's answer.
    Task<Answer> ask(std::string method, Json params = nullptr);
    /// The same in two steps: send and get the id, then check whether it was answered.
    Task<RequestId> post(std::string method, Json params = nullptr);
    bool answered(const RequestId& id) const;
    /// Closes the current connection from the server's side.
    Task<void> hang_up();
    /// Spawns a task, for handlers, which cannot wait.
    void later(Task<void> task) { scope_.spawn(std::move(task)); }

    std::unique_ptr<Transport> transport();
    Task<void> close();

private:
    friend class TestTransport;
    void accept(std::unique_ptr<Connection> end);
    Task<void> serve(std::shared_ptr<Connection> connection, int number);
    Task<void> respond(std::shared_ptr<Connection> connection, Heard heard);
    std::optional<Answer> know(const Heard& heard);
    Task<void> write(Message message);

    std::map<std::string, Handler> handlers_;
    std::map<std::string, Answer> answers_;  // to the server's own requests
    std::shared_ptr<Connection> current_;
    std::vector<std::shared_ptr<Connection>> all_;
    int asked_ = 0;
    Event changed_;
    Scope scope_;
};

/// A server, the client's settings (short pauses, long timeouts) and, once connected, the client.
struct Rig {
    explicit Rig(Revision revision) : server(revision) {}

    TestServer server;
    ClientSettings settings;
    Wire wire = Wire::kPipe;
    std::unique_ptr<Client> client;
    std::vector<std::string> oddities;
    std::vector<ConnectionState> states;

    void make();
    /// Makes the client and connects it.
    Task<Result<void>> connect();
    Task<void> end();
};

/// Runs `body`, then closes client and server in any case. `connect` connects first and expects success.
void run(Revision revision, Task<void> (*body)(Rig& rig), bool connect = true);

Json parse(std::string_view text);
/// {"content":[{"type":"text","text":…}]}
Json said(std::string text);

/// A call running concurrently with the test.
struct Running {
    std::optional<Result<CallToolResult>> result;
    CancelSource stop;
    CallSettings settings;
};
Task<void> run_call(Rig& rig, std::string tool, std::shared_ptr<Running> running);

}  // namespace gantry::mcp::testing
