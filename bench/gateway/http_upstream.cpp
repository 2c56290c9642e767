#include "http_upstream.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>
#include <set>

namespace bench {
namespace {

constexpr std::string_view kSession = "Mcp-Session-Id: 0123456789abcdef0123456789abcdef\r\n";

/// One write: a beginning of its own and a prepared rest.
struct Piece {
    std::string own;
    std::string_view rest;
    std::size_t sent = 0;
};

struct Connection {
    int fd = -1;
    std::string in;
    std::vector<Piece> out;
    std::size_t next = 0;  // of out
    std::string listen;    // id of the listen that keeps it, empty: none
};

std::string_view field(std::string_view head, std::string_view name) {
    for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
        const std::string_view line = head.substr(at + 2);
        if (line.size() > name.size() && line[name.size()] == ':' &&
            ::strncasecmp(line.data(), name.data(), name.size()) == 0) {
            std::string_view value = line.substr(name.size() + 1);
            value = value.substr(0, value.find("\r\n"));
            while (value.starts_with(' ')) value.remove_prefix(1);
            return value;
        }
    }
    return {};
}

std::string status_line(int status) {
    switch (status) {
        case 200: return "HTTP/1.1 200 OK\r\n";
        case 202: return "HTTP/1.1 202 Accepted\r\n";
        case 404: return "HTTP/1.1 404 Not Found\r\n";
        default: return "HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\n";
    }
}

std::string chunk(std::string_view data) {
    std::array<char, 16> size{};
    const auto end = std::to_chars(size.data(), size.data() + size.size(), data.size(), 16).ptr;
    return std::string(size.data(), end).append("\r\n").append(data).append("\r\n");
}

std::string event(std::string_view message) {
    return chunk(std::string("event: message\ndata: ").append(message).append("\n\n"));
}

class Upstream {
public:
    Upstream(Answers answers, bool events) : answers_(std::move(answers)), events_(events) {}

    int run(int port) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        const int on = 1;
        ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        socklen_t size = sizeof address;
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 4096) != 0 ||
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
            std::perror("mcp_upstream");
            return 1;
        }
        sigset_t signals;
        ::sigemptyset(&signals);
        ::sigaddset(&signals, SIGUSR1);
        ::sigaddset(&signals, SIGUSR2);
        ::sigprocmask(SIG_BLOCK, &signals, nullptr);
        signal_ = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
        epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
        watch(listener_, &listener_, EPOLLIN);
        watch(signal_, &signal_, EPOLLIN);
        std::printf("%d\n", ntohs(address.sin_port));
        std::fflush(stdout);
        for (;;) turn();
    }

private:
    void watch(int fd, void* what, std::uint32_t events) const {
        epoll_event event{};
        event.events = events;
        event.data.ptr = what;
        ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    }

    void turn() {
        std::array<epoll_event, 128> events;
        const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            void* what = events[static_cast<std::size_t>(i)].data.ptr;
            if (what == &listener_) {
                accept_all();
            } else if (what == &signal_) {
                change_catalog();
            } else if (auto* connection = static_cast<Connection*>(what); !advance(*connection)) {
                ::close(connection->fd);
                listening_.erase(connection);
                delete connection;
            }
        }
    }

    void accept_all() {
        for (;;) {
            const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (fd < 0) return;
            const int on = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            auto connection = std::make_unique<Connection>();
            connection->fd = fd;
            watch(fd, connection.get(), EPOLLIN | EPOLLOUT | EPOLLET);
            connection.release();
        }
    }

    void change_catalog() {
        bool all = false;
        signalfd_siginfo received{};
        while (::read(signal_, &received, sizeof received) > 0) all = all || received.ssi_signo == SIGUSR1;
        const std::string notification = all ? answers_.change_catalog() : answers_.change_one_tool();
        for (Connection* connection : listening_) {
            connection->out.push_back({.own = event(notification + connection->listen + "}}}"), .rest = {}});
            // A peer that is gone shows up as an event of its own.
            static_cast<void>(flush(*connection));
        }
    }

    /// Sends what waits, reads what is there, answers what is complete. False: close.
    bool advance(Connection& connection) {
        if (!flush(connection)) return false;
        std::array<char, 65536> buffer;
        for (;;) {
            const ssize_t got = ::recv(connection.fd, buffer.data(), buffer.size(), 0);
            if (got == 0) return false;
            if (got < 0) return errno == EAGAIN;
            connection.in.append(buffer.data(), static_cast<std::size_t>(got));
            if (!answer(connection)) return false;
            if (static_cast<std::size_t>(got) < buffer.size()) return true;
        }
    }

    bool answer(Connection& connection) {
        while (connection.out.empty() && connection.listen.empty()) {
            const std::string_view in = connection.in;
            const std::size_t end = in.find("\r\n\r\n");
            if (end == std::string::npos) return true;
            const std::string_view head = in.substr(0, end);
            std::size_t length = 0;
            const std::string_view text = field(head, "Content-Length");
            std::from_chars(text.data(), text.data() + text.size(), length);
            if (in.size() < end + 4 + length) return true;
            if (in.starts_with("POST ")) {
                const Request request = read_request(in.substr(end + 4, length));
                write(connection, answers_.to(request), request);
            } else {
                Answer refusal;
                refusal.status = in.starts_with("DELETE ") ? 200 : 405;
                write(connection, std::move(refusal), {});
            }
            connection.in.erase(0, end + 4 + length);
            if (!flush(connection)) return false;
        }
        return true;
    }

    void write(Connection& connection, Answer answer, const Request& request) {
        std::string head = status_line(answer.status);
        if (answer.opens_session) head += kSession;
        if (answer.notifications.empty() && (!events_ || answer.status != 200 || answer.tail.empty())) {
            const std::size_t size = answer.head.size() + answer.tail.size();
            if (size > 0) head += "Content-Type: application/json\r\n";
            head.append("Content-Length: ").append(std::to_string(size)).append("\r\n\r\n").append(answer.head);
            connection.out.push_back({.own = std::move(head), .rest = answer.tail});
            return;
        }
        head +=
            "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"
            "Transfer-Encoding: chunked\r\n\r\n";
        // Every event is a write of its own, as from a server that works in between.
        for (const auto& notification : answer.notifications) {
            connection.out.push_back({.own = head + event(notification), .rest = {}});
            head.clear();
        }
        if (answer.stays_open) {
            connection.listen = request.id;
            listening_.insert(&connection);
        } else {
            write_event(connection, std::move(head), std::move(answer));
        }
    }

    /// The answer as the last event: one write, or if it is large no copy.
    static void write_event(Connection& connection, std::string before, Answer answer) {
        if (answer.tail.size() < 64u << 10) {
            before.append(event(answer.head.append(answer.tail))).append("0\r\n\r\n");
            connection.out.push_back({.own = std::move(before), .rest = {}});
            return;
        }
        const std::string begin = "event: message\ndata: " + answer.head;
        std::array<char, 16> size{};
        const auto end =
            std::to_chars(size.data(), size.data() + size.size(), begin.size() + answer.tail.size() + 2, 16).ptr;
        before.append(size.data(), end).append("\r\n").append(begin);
        connection.out.push_back({.own = std::move(before), .rest = answer.tail});
        connection.out.push_back({.own = "\n\n\r\n0\r\n\r\n", .rest = {}});
    }

    static bool flush(Connection& connection) {
        while (connection.next < connection.out.size()) {
            Piece& piece = connection.out[connection.next];
            const std::size_t own = std::min(piece.sent, piece.own.size());
            const std::size_t rest = piece.sent - own;
            std::array<iovec, 2> parts = {
                iovec{.iov_base = piece.own.data() + own, .iov_len = piece.own.size() - own},
                iovec{.iov_base = const_cast<char*>(piece.rest.data()) + rest, .iov_len = piece.rest.size() - rest}};
            msghdr message{};
            message.msg_iov = parts.data();
            message.msg_iovlen = piece.rest.empty() ? 1 : 2;
            const ssize_t sent = ::sendmsg(connection.fd, &message, MSG_NOSIGNAL);
            if (sent < 0) return errno == EAGAIN;
            piece.sent += static_cast<std::size_t>(sent);
            if (piece.sent == piece.own.size() + piece.rest.size()) ++connection.next;
        }
        connection.out.clear();
        connection.next = 0;
        return true;
    }

    Answers answers_;
    bool events_;
    std::set<Connection*> listening_;
    int listener_ = -1;
    int signal_ = -1;
    int epoll_ = -1;
};

}  // namespace

int serve_http(Answers answers, int port, bool events) {
    return Upstream(std::move(answers), events).run(port);
}

}  // namespace bench
