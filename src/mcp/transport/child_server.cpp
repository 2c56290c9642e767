#include "mcp/transport/child_server.hpp"

#include <algorithm>
#include <array>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "io/process/line_cutter.hpp"

namespace gantry::mcp {
namespace {

constexpr int kMaxPorts = 3;
/// Between two looks at what listens; doubled up to the second one.
constexpr Duration kFirstLook = milliseconds(5);
constexpr Duration kLongestLook = milliseconds(100);
/// How long the exit status waits for the rest of the output.
constexpr Duration kExitGrace = seconds(1);
constexpr std::string_view kPlaceholder = "{port}";

bool contains_ignoring_case(std::string_view text, std::string_view what) {
    const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    return !std::ranges::search(text, what, same).empty();
}

bool overlap(const std::vector<std::string>& addresses, const std::vector<net::Endpoint>& endpoints) {
    return std::ranges::any_of(addresses, [&](const std::string& address) {
        return std::ranges::find(endpoints, address, &net::Endpoint::address) != endpoints.end();
    });
}

Task<Result<std::unique_ptr<net::TcpStream>>> refuse(ErrorCode code, std::string why) {
    co_return fail(code, std::move(why));
}

}  // namespace

ChildServer::ChildServer(ChildServerConfig config, std::uint16_t port, Url url)
    : config_(std::move(config)),
      port_(port),
      url_(std::move(url)),
      said_ready_(!config_.says_ready),
      scope_(Context::background()) {}

Task<Result<std::shared_ptr<ChildServer>>> ChildServer::start(const Context& ctx, ChildServerConfig config) {
    for (int attempt = 1;; ++attempt) {
        GANTRY_CO_CHECK(ctx.check());
        GANTRY_CO_TRY(const std::uint16_t port, net::find_free_port());
        GANTRY_CO_TRY(Url url, Url::parse("http://localhost:" + std::to_string(port) + config.path));
        const std::shared_ptr<ChildServer> server(new ChildServer(config, port, std::move(url)));
        auto launched = co_await server->launch(ctx);
        if (launched) co_return server;
        co_await server->stop();
        if (!server->lost_port_ || attempt == kMaxPorts) co_return fail(std::move(launched).error());
    }
}

Task<Result<void>> ChildServer::launch(const Context& ctx) {
    http::ClientOptions options = config_.http;
    // Responses in flight may outlive the server.
    options.dial = [weak = weak_from_this()](const Context& dialing) {
        const auto self = weak.lock();
        return self ? connect(dialing, self) : refuse(ErrorCode::kConnection, "the server was stopped");
    };
    http_ = std::make_unique<http::Client>(Loop::current(), guard_, std::move(options));
    process::Command ready = command();
    if (config_.prepare) GANTRY_CO_CHECK(config_.prepare(ready));
    GANTRY_CO_TRY(process_, co_await process::Process::start(ctx, std::move(ready)));
    scope_.spawn(follow_stdout(scope_.context()));
    scope_.spawn(follow_end(scope_.context()));
    co_return co_await wait_until_ready(ctx);
}

std::string ChildServer::with_port(std::string text) const {
    const std::string port = std::to_string(port_);
    for (auto at = text.find(kPlaceholder); at != std::string::npos; at = text.find(kPlaceholder, at + port.size()))
        text.replace(at, kPlaceholder.size(), port);
    return text;
}

process::Command ChildServer::command() {
    process::Command made{.program = config_.command,
                          .args = {},
                          .env = process::default_environment(),
                          .cwd = config_.cwd,
                          .on_stderr = nullptr};
    for (const std::string& arg : config_.args) made.args.push_back(with_port(arg));
    process::set_variable(made.env, "PORT", std::to_string(port_));
    for (const auto& [name, value] : config_.env) process::set_variable(made.env, name, with_port(value));
    // Nothing is called any more once the process object is gone.
    made.on_stderr = [this](std::string_view line) { on_line(line); };
    return made;
}

void ChildServer::on_line(std::string_view line) {
    tail_.add(line);
    if (config_.on_output) config_.on_output(line);
    if (said_ready_ || !config_.says_ready(line)) return;
    said_ready_ = true;
    changed_.pulse();
}

Task<void> ChildServer::follow_stdout(Context ctx) {
    process::LineCutter lines;
    const process::LineCutter::Sink sink = [this](std::string_view line) { on_line(line); };
    std::vector<char> buffer(16u << 10);
    for (;;) {
        auto size = co_await process_->stdio().read_some(ctx, buffer);
        if (!size || *size == 0) break;
        lines.feed({buffer.data(), *size}, sink);
        co_await yield_now();  // do not let a talkative child starve other tasks
    }
    lines.finish(sink);
    stdout_ended_.set();
}

Task<void> ChildServer::follow_end(Context ctx) {
    if (!co_await process_->wait(ctx)) co_return;
    // What it printed last explains its end.
    (void)co_await stdout_ended_.wait(ctx.within(kExitGrace));
    ended_.set();
    changed_.pulse();
}

Task<Result<void>> ChildServer::wait_until_ready(const Context& ctx) {
    Duration pause = kFirstLook;
    for (;;) {
        if (has_ended()) {
            // Nothing listens on a port that is only in use as the near end of a connection.
            lost_port_ = contains_ignoring_case(tail_.text(), "address already in use");
            co_return fail(ended_early());
        }
        if (said_ready_) {
            auto target = co_await look(ctx);
            if (!target && has_ended()) continue;
            if (!target) co_return fail(std::move(target).error());
            lost_port_ = target->taken;
            if (target->taken) co_return fail(taken());
            if (!target->endpoints.empty()) {
                warn_if_exposed();
                co_return Result<void>();
            }
            pause = std::min(2 * pause, kLongestLook);
        }
        // No event reports that another process listens.
        auto changed = co_await changed_.wait(said_ready_ ? ctx.within(pause) : ctx);
        if (changed) continue;
        if (auto over = ctx.check(); !over)
            co_return fail(over.error().code() == ErrorCode::kTimeout ? not_ready() : std::move(over).error());
    }
}

bool ChildServer::is_own(const net::LocalListener& listener) {
    if (!config_.own_socket || process_->has_own_network()) return true;
    if (std::ranges::find(own_sockets_, listener.inode) != own_sockets_.end()) return true;
    if (!process_->holds_socket(listener.inode)) return false;
    own_sockets_.push_back(listener.inode);
    return true;
}

void ChildServer::warn_if_exposed() const {
    if (!config_.on_warning || process_->has_own_network()) return;
    const auto listeners = on_our_port().value_or(std::vector<net::LocalListener>());
    const auto is_wildcard = [](const net::LocalListener& one) {
        return one.address == "0.0.0.0" || one.address == "::";
    };
    if (std::ranges::none_of(listeners, is_wildcard)) return;
    config_.on_warning("it accepts connections from other machines on port " + std::to_string(port_) +
                       ": have it listen on 127.0.0.1, or give it a network of its own (isolation.network)");
}

Result<std::vector<net::LocalListener>> ChildServer::on_our_port() const {
    GANTRY_TRY(auto all, net::listeners_seen_by(process_->pid()));
    std::erase_if(all, [this](const net::LocalListener& listener) {
        return listener.port != port_ || listener.reached_at().empty();
    });
    return all;
}

Task<Result<ChildServer::Target>> ChildServer::look(const Context& ctx) {
    const auto listeners = on_our_port();
    if (!listeners) {
        // Nothing is known of a process that is exiting; its exit status says more.
        (void)co_await ended_.wait(ctx.within(kExitGrace));
        co_return fail(has_ended() ? end() : listeners.error());
    }
    Target target;
    std::vector<net::LocalListener> strange;
    for (const net::LocalListener& listener : *listeners) {
        if (!is_own(listener)) {
            strange.push_back(listener);
            continue;
        }
        for (const std::string& address : listener.reached_at())
            if (!overlap({address}, target.endpoints)) target.endpoints.push_back({address, port_});
    }
    if (strange.empty()) co_return target;
    // A server that tries a port out closes that socket again, perhaps before its descriptors were read.
    const auto still = on_our_port().value_or(std::vector<net::LocalListener>());
    target.taken = std::ranges::any_of(strange, [&](const net::LocalListener& other) {
        const bool open = std::ranges::find(still, other.inode, &net::LocalListener::inode) != still.end();
        return open && (target.endpoints.empty() || overlap(other.reached_at(), target.endpoints));
    });
    co_return target;
}

Task<Result<std::unique_ptr<net::TcpStream>>> ChildServer::connect(const Context& ctx,
                                                                   std::shared_ptr<ChildServer> self) {
    if (self->has_ended()) co_return fail(self->end());
    GANTRY_CO_TRY(const Target target, co_await self->look(ctx));
    if (target.taken) co_return fail(self->taken());
    if (target.endpoints.empty()) {
        co_return fail(ErrorCode::kConnection,
                       self->with_last_words("the server no longer listens on port " + std::to_string(self->port_)));
    }
    process::Process& process = *self->process_;
    if (!process.has_own_network()) co_return co_await net::connect_any(ctx, target.endpoints);
    Result<std::unique_ptr<net::TcpStream>> stream;
    for (const net::Endpoint& endpoint : target.endpoints) {
        GANTRY_CO_TRY(Fd socket, co_await process.socket_inside(ctx, endpoint.address.contains(':')));
        stream = co_await net::connect_over(ctx, std::move(socket), endpoint);
        if (stream) break;
        GANTRY_CO_CHECK(ctx.check());
    }
    co_return stream;
}

std::string ChildServer::with_last_words(std::string text) const {
    if (const std::string words = tail_.text(); !words.empty()) text += "; output: " + words;
    return text;
}

std::string ChildServer::exit_text() const {
    const auto status = process_->exit_status();
    return "the server ended (" + (status ? status->to_string() : "no exit status") + ")";
}

Error ChildServer::end() const {
    return Error(ErrorCode::kConnection, with_last_words(exit_text())).fatal(true);
}

Error ChildServer::ended_early() const {
    return {ErrorCode::kConnection,
            with_last_words(exit_text() + " before it was ready on port " + std::to_string(port_))};
}

Error ChildServer::taken() const {
    return {ErrorCode::kConnection, "another program listens on port " + std::to_string(port_) +
                                        ", which was chosen for the server, or one whose descriptors this user may not "
                                        "see; nothing was sent to it"};
}

/// " (it listens on 127.0.0.1:8000)" if it does so on other ports.
std::string ChildServer::other_ports() const {
    const auto listeners = net::listeners_seen_by(process_->pid());
    if (!listeners) return {};
    const bool alone = process_->has_own_network();
    const auto own = alone ? std::set<std::uint64_t>() : process_->open_sockets();
    std::string out;
    for (const net::LocalListener& listener : *listeners)
        if (alone || own.contains(listener.inode)) out.append(out.empty() ? "" : ", ").append(listener.text());
    return out.empty() ? out : " (it listens on " + out + ")";
}

Error ChildServer::not_ready() const {
    const std::string port = std::to_string(port_);
    return {ErrorCode::kTimeout,
            with_last_words(
                said_ready_ ? "the server did not listen on port " + port + " within its connect_timeout" +
                                  other_ports() + "; it has to take the port from PORT, or from {port} in args or env"
                            : "the server printed no line that matches ready_when within its connect_timeout")};
}

Task<void> ChildServer::stop() {
    http_->close();
    // Its output is read until its end: a child that cannot write does not exit.
    if (process_) (void)co_await process_->stop(config_.stop);
    scope_.cancel();
    co_await scope_.join();
    ended_.set();
}

}  // namespace gantry::mcp
