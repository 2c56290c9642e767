// Open-loop load: one request sent at a fixed rate over keep-alive connections, whatever the answers do.
//
//     fixed_rate PORT RATE SECONDS CONNECTIONS REQUEST_FILE      RATE 0: as fast as answers come
//
// REQUEST_FILE holds the bytes of one HTTP request. A request's latency counts from the time it was due, not from when
// a connection was free for it: a server that stalls is charged for everything that would have been sent meanwhile (no
// coordinated omission). Prints one JSON object.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

struct Connection {
    int fd = -1;
    bool busy = false;
    Time due = {};
    std::string received = {};
};

/// Where the answer `text` begins with ends; npos: not yet. Understands Content-Length and chunks.
std::size_t end_of_answer(const std::string& text) {
    const std::size_t head = text.find("\r\n\r\n");
    if (head == std::string::npos) return std::string::npos;
    std::string fields = text.substr(0, head);
    std::ranges::transform(fields, fields.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (const std::size_t at = fields.find("content-length:"); at != std::string::npos) {
        const std::size_t end = head + 4 + std::strtoul(fields.c_str() + at + 15, nullptr, 10);
        return end <= text.size() ? end : std::string::npos;
    }
    const std::size_t last = text.find("0\r\n\r\n", head + 4);
    return last == std::string::npos ? last : last + 5;
}

class Load {
public:
    Load(int port, double rate, double seconds, std::size_t connections, std::string request)
        : port_(port), rate_(rate), request_(std::move(request)), connections_(connections) {
        length_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        poll_ = ::epoll_create1(EPOLL_CLOEXEC);
        timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        watch(timer_, ~std::uint64_t{0});
        for (std::size_t i = 0; i < connections_.size(); ++i) open(i);
    }

    bool run() {
        began_ = Clock::now();
        const Time end = began_ + length_;
        while (true) {
            const Time now = Clock::now();
            if (now >= end + std::chrono::seconds(30)) break;  // what is not answered by now counts as failed
            send_due(now, end);
            if (now >= end && waiting_.empty() && answered_ + failed_ >= sent_) break;
            wait(now, end);
        }
        failed_ += sent_ - answered_ - std::min(failed_, sent_ - answered_);
        return answered_ > 0;
    }

    void print() {
        std::ranges::sort(micros_);
        const auto at = [this](double part) {
            if (micros_.empty()) return 0.0;
            const auto i = static_cast<std::size_t>(part * static_cast<double>(micros_.size() - 1));
            return micros_[i];
        };
        const double seconds = std::chrono::duration<double>(length_).count();
        std::printf(
            "{\"sent\":%zu,\"answered\":%zu,\"failed\":%zu,\"per_second\":%.1f,\"p50_us\":%.1f,\"p90_us\":%.1f,"
            "\"p99_us\":%.1f,\"max_us\":%.1f}\n",
            sent_, answered_, failed_, static_cast<double>(answered_) / seconds, at(0.5), at(0.9), at(0.99), at(1.0));
    }

private:
    void watch(int fd, std::uint64_t number) const {
        epoll_event event{.events = EPOLLIN, .data = {.u64 = number}};
        ::epoll_ctl(poll_, EPOLL_CTL_ADD, fd, &event);
    }

    void open(std::size_t number) {
        Connection& one = connections_[number];
        one = Connection{.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port_));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(one.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            std::perror("fixed_rate: connect");
            std::exit(1);
        }
        const int on = 1;
        ::setsockopt(one.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watch(one.fd, number);
        idle_.push_back(number);
    }

    Time due(std::size_t number) const {
        const std::chrono::duration<double> offset(static_cast<double>(number) / rate_);
        return began_ + std::chrono::duration_cast<Clock::duration>(offset);
    }

    void send_due(Time now, Time end) {
        if (rate_ <= 0) {
            while (now < end && !idle_.empty()) send(now);
            return;
        }
        for (; due(scheduled_) <= now && due(scheduled_) < end; ++scheduled_) waiting_.push_back(due(scheduled_));
        while (!waiting_.empty() && !idle_.empty()) {
            send(waiting_.front());
            waiting_.pop_front();
        }
    }

    void send(Time due_at) {
        const std::size_t number = idle_.back();
        idle_.pop_back();
        Connection& one = connections_[number];
        one.busy = true;
        one.due = due_at;
        ++sent_;
        // A request is far smaller than a socket's buffer, and there is one at a time.
        if (::send(one.fd, request_.data(), request_.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request_.size()))
            lose(number);
    }

    void lose(std::size_t number) {
        if (connections_[number].busy) ++failed_;
        ::close(connections_[number].fd);
        std::erase(idle_, number);
        open(number);
    }

    void wait(Time now, Time end) {
        Time next = end;
        if (rate_ > 0 && due(scheduled_) < end) next = due(scheduled_);
        if (next <= now) next = now + std::chrono::milliseconds(10);
        const auto after = std::chrono::duration_cast<std::chrono::nanoseconds>(next - now).count();
        itimerspec spec{};
        spec.it_value.tv_sec = after / 1'000'000'000;
        spec.it_value.tv_nsec = std::max<long>(after % 1'000'000'000, 1);
        ::timerfd_settime(timer_, 0, &spec, nullptr);
        std::array<epoll_event, 256> events;
        const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 1000);
        for (int i = 0; i < count; ++i) {
            const std::uint64_t number = events[static_cast<std::size_t>(i)].data.u64;
            if (number == ~std::uint64_t{0}) {
                std::uint64_t ticks = 0;
                [[maybe_unused]] const ssize_t got = ::read(timer_, &ticks, sizeof ticks);
            } else {
                receive(static_cast<std::size_t>(number));
            }
        }
    }

    void receive(std::size_t number) {
        Connection& one = connections_[number];
        std::array<char, 65536> buffer;
        const ssize_t got = ::recv(one.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got <= 0) return lose(number);
        one.received.append(buffer.data(), static_cast<std::size_t>(got));
        if (end_of_answer(one.received) == std::string::npos) return;
        const bool fine = one.received.starts_with("HTTP/1.1 200") && !one.received.contains("\"error\":");
        fine ? ++answered_ : ++failed_;
        micros_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - one.due).count());
        one.received.clear();
        one.busy = false;
        idle_.push_back(number);
    }

    int port_;
    double rate_;
    std::string request_;
    Clock::duration length_{};
    int poll_ = -1;
    int timer_ = -1;
    Time began_{};
    std::vector<Connection> connections_;
    std::vector<std::size_t> idle_;
    std::deque<Time> waiting_;  // due, and no connection was free
    std::size_t scheduled_ = 0;
    std::size_t sent_ = 0;
    std::size_t answered_ = 0;
    std::size_t failed_ = 0;
    std::vector<double> micros_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fputs("usage: fixed_rate PORT RATE SECONDS CONNECTIONS REQUEST_FILE\n", stderr);
        return 2;
    }
    std::ifstream file(argv[5], std::ios::binary);
    std::ostringstream request;
    request << file.rdbuf();
    const auto connections = static_cast<std::size_t>(std::atoi(argv[4]));
    if (!file || request.str().empty() || connections == 0) {
        std::fputs("fixed_rate: needs a request and at least one connection\n", stderr);
        return 2;
    }
    Load load(std::atoi(argv[1]), std::atof(argv[2]), std::atof(argv[3]), connections, request.str());
    const bool any = load.run();
    load.print();
    return any ? 0 : 1;
}
