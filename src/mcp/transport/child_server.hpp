#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/url.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "io/net/local_listener.hpp"
#include "io/net/tcp.hpp"
#include "io/process/process.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/transport/stderr_tail.hpp"

namespace gantry::mcp {

/// A program that serves MCP over HTTP on a loopback port that is chosen for it.
struct ChildServerConfig {
    /// Looked up in the child's PATH if it contains no slash; no shell is involved.
    std::string command = {};
    /// "{port}" in arguments and in values of variables is replaced by the port.
    std::vector<std::string> args = {};
    /// Added to process::default_environment() and to PORT; these take precedence.
    std::vector<std::pair<std::string, std::string>> env = {};
    std::string cwd = {};  // empty: this process's
    /// Path of the endpoint.
    std::string path = "/mcp";
    /// Whether a line of output says that the server is ready. Unset: it is ready as soon as it listens.
    std::function<bool(std::string_view line)> says_ready = {};
    /// Whether the socket that listens on the port has to belong to the program or one of its descendants. False for
    /// the client of a container engine: the engine listens for its containers.
    bool own_socket = true;
    /// Receives each line of the child's stdout and stderr (truncated to 8 KB).
    std::function<void(std::string_view line)> on_output = {};
    /// Receives what the operator should change, once per start.
    std::function<void(const std::string& what)> on_warning = {};
    /// Such a server does not read its input, so that its end is no reason to wait.
    process::Process::StopTimes stop = {.after_eof = Duration::zero()};
    /// Called last before every start, to adjust the command: isolation, environment.
    std::function<Result<void>(process::Command& command)> prepare = {};
    /// Of the client whose requests all go to this server. `dial` is set here.
    http::ClientOptions http = {};
};

/// One running child. Every connection is made to a socket that was checked to belong to it: on a shared loopback
/// interface any program could take the port first. What remains is the time between that check and the kernel's
/// accept.
class ChildServer : public std::enable_shared_from_this<ChildServer> {
public:
    /// Starts it and waits until it is ready, within the context's deadline. Tries other ports if one is taken by
    /// another program meanwhile. The error has the child's exit status and its last lines of output.
    static Task<Result<std::shared_ptr<ChildServer>>> start(const Context& ctx, ChildServerConfig config);
    /// Precondition: stop() has completed.
    ~ChildServer() = default;

    /// Its host is localhost, which servers accept in the Host field.
    const Url& url() const noexcept { return url_; }
    http::Client& http() noexcept { return *http_; }

    bool has_ended() const noexcept { return ended_.is_set(); }
    Task<Result<void>> wait_for_end(const Context& ctx) { return ended_.wait(ctx); }
    /// Why it is gone: exit status and last lines of output. Fatal. Only once it has ended.
    Error end() const;

    /// Closes the client's idle connections and ends the program with everything it started. Takes bounded time. Once.
    Task<void> stop();

private:
    /// Where connections go.
    struct Target {
        std::vector<net::Endpoint> endpoints;
        bool taken = false;  // another program listens there
    };

    ChildServer(ChildServerConfig config, std::uint16_t port, Url url);
    Task<Result<void>> launch(const Context& ctx);
    process::Command command();
    std::string with_port(std::string text) const;
    Task<void> follow_stdout(Context ctx);
    Task<void> follow_end(Context ctx);
    void on_line(std::string_view line);
    Task<Result<void>> wait_until_ready(const Context& ctx);
    Task<Result<Target>> look(const Context& ctx);
    Result<std::vector<net::LocalListener>> on_our_port() const;
    bool is_own(const net::LocalListener& listener);
    void warn_if_exposed() const;
    static Task<Result<std::unique_ptr<net::TcpStream>>> connect(const Context& ctx, std::shared_ptr<ChildServer> self);
    Error taken() const;
    Error ended_early() const;
    Error not_ready() const;
    std::string other_ports() const;
    std::string exit_text() const;
    std::string with_last_words(std::string text) const;

    ChildServerConfig config_;
    const std::uint16_t port_;
    const Url url_;
    std::unique_ptr<process::Process> process_;
    net::EgressGuard guard_;  // not consulted: connections are made by connect()
    std::unique_ptr<http::Client> http_;
    StderrTail tail_;
    bool said_ready_;
    bool lost_port_ = false;                  // another program has it: worth a start with another one
    std::vector<std::uint64_t> own_sockets_;  // inodes that were found to be its own
    Event changed_;
    Event stdout_ended_;
    Event ended_;
    Scope scope_;
};

}  // namespace gantry::mcp
