#pragma once
// Test support: raw HTTP, for what no well-behaved client does, such as disconnecting midway or repeating fields.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>

namespace gantry::testing {

class RawHttp {
public:
    explicit RawHttp(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            ADD_FAILURE() << "nobody listens on port " << port;
    }
    ~RawHttp() { hang_up(); }
    RawHttp(const RawHttp&) = delete;
    RawHttp& operator=(const RawHttp&) = delete;

    /// `fields` are complete lines, each with its line end.
    void send(std::string_view method, const std::string& fields, std::string_view body = {}) {
        std::string text(method);
        text += " /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n" + fields;
        if (!body.empty()) {
            text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
        }
        text.append("\r\n").append(body);
        ASSERT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    }

    /// Reads until `text` has arrived; false when the server closes or a minute passes first.
    bool read_until(std::string_view text) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (!received_.contains(text)) {
            pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
            if (std::chrono::steady_clock::now() > end) return false;
            if (::poll(&waiting, 1, 1000) <= 0) continue;
            char piece[4096];
            const ssize_t got = ::recv(fd_, piece, sizeof piece, 0);
            if (got <= 0) return false;
            received_.append(piece, static_cast<std::size_t>(got));
        }
        return true;
    }
    const std::string& received() const noexcept { return received_; }
    /// The rest of the line after the last `label`: a header's value, an event's id.
    std::string last(std::string_view label) const {
        const auto at = received_.rfind(label);
        if (at == std::string::npos) return {};
        const auto begin = at + label.size();
        return received_.substr(begin, received_.find_first_of("\r\n", begin) - begin);
    }

    void hang_up() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

private:
    int fd_;
    std::string received_;
};

}  // namespace gantry::testing
