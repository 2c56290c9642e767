// A server that takes its port from PORT and does what its arguments say, in order. For the tests of children that
// serve HTTP:
//
//   say:TEXT        prints a line on stdout
//   complain:TEXT   prints a line on stderr
//   listen          listens on 127.0.0.1 and the port; listen:any and listen:v6 on 0.0.0.0 and ::1
//   listen:elsewhere  listens on another port
//   close           closes that socket
//   wait:FIFO       waits until the test opens this pipe for writing
//   fork            continues in a grandchild of another session
//   serve           answers each request with 200 and "hello"; GET /sse opens an event stream whose endpoint names
//                   0.0.0.0 as its host; a POST is announced on that stream, and "die" in its body ends the server
//   exit:N

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

const char* port_text() {
    const char* port = std::getenv("PORT");
    return port == nullptr ? "0" : port;
}

int listen_on(std::string_view where) {
    const auto port = where == "elsewhere" ? 0 : static_cast<std::uint16_t>(std::atoi(port_text()));
    int fd;
    int bound;
    if (where == "v6") {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_addr = in6addr_loopback;
        address.sin6_port = htons(port);
        fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bound = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
    } else {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(where == "any" ? INADDR_ANY : INADDR_LOOPBACK);
        address.sin_port = htons(port);
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bound = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
    if (bound != 0 || listen(fd, 16) != 0) {
        std::perror("listen");
        std::exit(1);
    }
    return fd;
}

/// The grandchild lives on, and the process that was started only waits.
void continue_in_grandchild() {
    if (fork() != 0) {
        for (;;) pause();
    }
    setsid();
    if (fork() != 0) {
        for (;;) pause();
    }
}

void send_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (size <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
}

/// Empty: the connection is closed.
std::string read_request(int fd) {
    std::string text;
    char buffer[4096];
    std::size_t whole = std::string::npos;
    while (text.size() < whole) {
        const ssize_t size = read(fd, buffer, sizeof buffer);
        if (size <= 0) return {};
        text.append(buffer, static_cast<std::size_t>(size));
        const auto head = text.find("\r\n\r\n");
        if (head == std::string::npos) continue;
        const auto length = text.find("Content-Length: ");
        whole = head + 4 + (length == std::string::npos ? 0 : std::strtoul(text.c_str() + length + 16, nullptr, 10));
    }
    return text;
}

class Server {
public:
    explicit Server(int listener) : polled_{{listener, POLLIN, 0}} {}

    [[noreturn]] void run() {
        for (;;) {
            poll(polled_.data(), polled_.size(), -1);
            for (std::size_t i = polled_.size(); i-- > 1;)
                if (polled_[i].revents != 0) answer(i);
            if (polled_[0].revents != 0) polled_.push_back({accept(polled_[0].fd, nullptr, nullptr), POLLIN, 0});
        }
    }

private:
    void answer(std::size_t place) {
        const int fd = polled_[place].fd;
        const std::string request = read_request(fd);
        if (request.empty()) {
            close(fd);
            polled_.erase(polled_.begin() + static_cast<std::ptrdiff_t>(place));
            std::erase(streams_, fd);
        } else if (request.starts_with("GET /sse ")) {
            send_all(fd,
                     "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: endpoint\n"
                     "data: http://0.0.0.0:" +
                         std::string(port_text()) + "/messages\n\n");
            streams_.push_back(fd);
        } else if (request.starts_with("POST /messages ")) {
            send_all(fd, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
            for (const int stream : streams_)
                send_all(stream, "data: {\"jsonrpc\":\"2.0\",\"method\":\"by " + std::to_string(getpid()) + "\"}\n\n");
            if (!request.contains("die")) return;
            std::puts("a last word");
            std::fflush(stdout);
            std::fputs("dying as told\n", stderr);
            std::exit(7);
        } else {
            send_all(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        }
    }

    std::vector<pollfd> polled_;
    std::vector<int> streams_;
};

}  // namespace

int main(int argc, char** argv) {
    int listener = -1;
    for (int i = 1; i < argc; ++i) {
        const std::string_view step = argv[i];
        const auto colon = step.find(':');
        const std::string_view what = step.substr(0, colon);
        const char* about = colon == std::string_view::npos ? "" : argv[i] + colon + 1;
        if (what == "say") {
            std::puts(about);
            std::fflush(stdout);
        } else if (what == "complain") {
            std::fprintf(stderr, "%s\n", about);
        } else if (what == "listen") {
            listener = listen_on(about);
        } else if (what == "close") {
            close(listener);
        } else if (what == "wait") {
            close(open(about, O_RDONLY | O_CLOEXEC));
        } else if (what == "fork") {
            continue_in_grandchild();
        } else if (what == "serve") {
            Server(listener).run();
        } else if (what == "exit") {
            return std::atoi(about);
        }
    }
    for (;;) pause();
}
