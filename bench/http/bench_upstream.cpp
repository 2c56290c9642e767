// The server behind the proxies under test: bare epoll, fixed answers, so that it is never what is measured.
//
//     bench_upstream [port]       prints the port it listens on
//
// A target starting with "/large" is answered with 100 KB of JSON, anything else with 0.3 KB.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace {

std::string answer_of(std::size_t size) {
    std::string body = R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":")";
    const std::string_view tail = R"("}],"isError":false}})";
    body.append(size - body.size() - tail.size(), 'x').append(tail);
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: 0123456789abcdef\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Connection {
    int fd = -1;
    std::string in;
    std::string_view out;  // of one of the two answers
};

class Upstream {
public:
    int run(int port) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        const int on = 1;
        ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        socklen_t size = sizeof address;
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 1024) != 0 ||
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
            std::perror("bench_upstream");
            return 1;
        }
        std::printf("%d\n", ntohs(address.sin_port));
        std::fflush(stdout);
        epoll_ = ::epoll_create1(0);
        watch(listener_, nullptr, EPOLLIN);
        for (;;) turn();
    }

private:
    void watch(int fd, Connection* connection, std::uint32_t events) {
        epoll_event event{};
        event.events = events;
        event.data.ptr = connection;
        ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    }

    void turn() {
        std::array<epoll_event, 64> events;
        const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            auto* connection = static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
            if (!connection) {
                accept_all();
            } else if (!advance(*connection)) {
                ::close(connection->fd);
                delete connection;
            }
        }
    }

    void accept_all() {
        for (;;) {
            const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
            if (fd < 0) return;
            const int on = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            auto connection = std::make_unique<Connection>();
            connection->fd = fd;
            watch(fd, connection.get(), EPOLLIN | EPOLLOUT | EPOLLET);
            connection.release();
        }
    }

    /// Reads what is there, answers what is complete. False: close.
    bool advance(Connection& connection) {
        if (!flush(connection)) return false;
        std::array<char, 16384> buffer;
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
        while (connection.out.empty()) {
            const std::size_t end = connection.in.find("\r\n\r\n");
            if (end == std::string::npos) return true;
            std::size_t length = 0;
            if (const std::size_t at = connection.in.find("Content-Length: "); at < end) {
                length = std::strtoul(connection.in.c_str() + at + 16, nullptr, 10);
            }
            if (connection.in.size() < end + 4 + length) return true;
            const bool large = connection.in.find(" /large") < end;
            connection.in.erase(0, end + 4 + length);
            connection.out = large ? large_ : small_;
            if (!flush(connection)) return false;
        }
        return true;
    }

    static bool flush(Connection& connection) {
        while (!connection.out.empty()) {
            const ssize_t sent = ::send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
            if (sent < 0) return errno == EAGAIN;
            connection.out.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    int listener_ = -1;
    int epoll_ = -1;
    const std::string small_ = answer_of(300);
    const std::string large_ = answer_of(100u << 10);
};

}  // namespace

int main(int argc, char** argv) {
    Upstream upstream;
    return upstream.run(argc > 1 ? std::atoi(argv[1]) : 0);
}
