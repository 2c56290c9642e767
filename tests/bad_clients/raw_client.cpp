#include "bad_clients/raw_client.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace gantry::testing {
namespace {

/// Longer than any limit of the gateway; reached only by a hang.
constexpr int kPatience = 120'000;

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

/// Moves complete chunks from the front of `bytes` into `body`; true when the last one was among them.
bool take_chunks(std::string& bytes, std::string& body) {
    std::size_t at = 0;
    bool last = false;
    for (;;) {
        const std::size_t line = bytes.find("\r\n", at);
        if (line == std::string::npos) break;
        std::size_t size = 0;
        std::from_chars(bytes.data() + at, bytes.data() + line, size, 16);
        if (bytes.size() < line + 2 + size + 2) break;
        body.append(bytes, line + 2, size);
        at = line + 2 + size + 2;
        last = size == 0;
        if (last) break;
    }
    bytes.erase(0, at);
    return last;
}

}  // namespace

std::string RawReply::header(std::string_view name) const {
    const std::string wanted = "\r\n" + lower(name) + ":";
    const std::string folded = lower(head);
    const std::size_t at = folded.find(wanted);
    if (at == std::string::npos) return {};
    const std::size_t from = head.find_first_not_of(' ', at + wanted.size());
    return head.substr(from, head.find("\r\n", from) - from);
}

Json RawReply::json() const {
    std::string_view text = body;
    if (header("content-type").starts_with("text/event-stream")) {
        const std::size_t last = text.rfind("data: ");
        if (last == std::string_view::npos) return {};
        text = text.substr(last + 6);
        text = text.substr(0, text.find('\n'));
    }
    auto parsed = Json::parse(text, {.max_bytes = 256u << 20});
    return parsed ? *std::move(parsed) : Json();
}

std::int64_t RawReply::code() const {
    const Json message = json();
    const Json* found = message.at_pointer("/error/code");
    return found != nullptr ? found->as_int().value_or(0) : 0;
}

std::string RawReply::id() const {
    const Json message = json();
    const Json* found = message.find("id");
    return found != nullptr ? found->dump() : "-";
}

std::string RawReply::text() const {
    const Json message = json();
    const Json* found = message.at_pointer("/result/content/0/text");
    return found != nullptr && found->is_string() ? *found->if_string() : head + body;
}

RawClient::RawClient(int port) {
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        ADD_FAILURE() << "cannot connect: " << std::strerror(errno);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

RawClient::RawClient(const std::string& path) {
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        ADD_FAILURE() << "cannot connect to " << path << ": " << std::strerror(errno);
}

RawClient::~RawClient() {
    if (socket_ >= 0) close(socket_);
}

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), seen_(std::move(other.seen_)) {}

bool RawClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void RawClient::receive_at_most(int bytes) {
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void RawClient::finish() {
    shutdown(socket_, SHUT_WR);
}

bool RawClient::more() {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, kPatience) <= 0) {
        ADD_FAILURE() << "the gateway said nothing; so far: " << seen_.substr(0, 500);
        return false;
    }
    std::array<char, 65536> buffer;
    const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    seen_.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
}

std::string RawClient::read_body(const RawReply& reply, bool& whole) {
    whole = true;
    if (reply.header("transfer-encoding") == "chunked") {
        std::string body;
        while (!take_chunks(seen_, body)) {
            if (more()) continue;
            whole = false;
            break;
        }
        return body;
    } else if (const std::string length = reply.header("content-length"); !length.empty()) {
        const std::size_t size = std::stoul(length);
        while (seen_.size() < size && more()) {}
        if (seen_.size() >= size) {
            std::string body = seen_.substr(0, size);
            seen_.erase(0, size);
            return body;
        }
    } else {
        while (more()) {}  // its end is the connection's
        return std::exchange(seen_, {});
    }
    whole = false;
    return std::exchange(seen_, {});
}

RawReply RawClient::reply(bool to_head) {
    RawReply reply;
    do {  // skip "100 Continue", which is not the answer
        while (seen_.find("\r\n\r\n") == std::string::npos) {
            if (!more()) return {};
        }
        const std::size_t end = seen_.find("\r\n\r\n") + 2;
        reply.head = seen_.substr(0, end);
        seen_.erase(0, end + 2);
        reply.status = reply.head.starts_with("HTTP/1.1 ") ? std::stoi(reply.head.substr(9, 3)) : -1;
    } while (reply.status == 100);
    reply.whole = true;
    if (!to_head && reply.status != 204) reply.body = read_body(reply, reply.whole);
    return reply;
}

bool RawClient::see(std::string_view text) {
    while (seen_.find(text) == std::string::npos) {
        if (!more()) return false;
    }
    return true;
}

std::string RawClient::rest() {
    while (more()) {}
    return std::exchange(seen_, {});
}

bool RawClient::said_something() const {
    pollfd waiting{socket_, POLLIN, 0};
    return poll(&waiting, 1, 0) > 0;
}

bool RawClient::ended() const {
    char byte = 0;
    const ssize_t got = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

}  // namespace gantry::testing
