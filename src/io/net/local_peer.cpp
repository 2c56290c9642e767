#include "io/net/local_peer.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

namespace gantry::net {
namespace {

struct Ends {
    sockaddr_storage ours{};
    sockaddr_storage theirs{};
};

std::optional<Ends> ends_of(const TcpStream& stream) {
    Ends ends;
    socklen_t size = sizeof ends.ours;
    if (::getsockname(stream.native_handle(), reinterpret_cast<sockaddr*>(&ends.ours), &size) != 0) return std::nullopt;
    size = sizeof ends.theirs;
    if (::getpeername(stream.native_handle(), reinterpret_cast<sockaddr*>(&ends.theirs), &size) != 0)
        return std::nullopt;
    if (ends.theirs.ss_family != AF_INET && ends.theirs.ss_family != AF_INET6) return std::nullopt;
    return ends;
}

void put(const sockaddr_storage& from, __be32 (&address)[4], __be16& port) {
    if (from.ss_family == AF_INET) {
        const auto& four = reinterpret_cast<const sockaddr_in&>(from);
        address[0] = four.sin_addr.s_addr;
        port = four.sin_port;
    } else {
        const auto& six = reinterpret_cast<const sockaddr_in6&>(from);
        std::memcpy(address, &six.sin6_addr, sizeof six.sin6_addr);
        port = six.sin6_port;
    }
}

struct Question {
    nlmsghdr head{};
    inet_diag_req_v2 wish{};
};

/// Swaps the ends: the query names the peer's socket.
Question question_about(const Ends& ends) {
    Question question;
    question.head = {.nlmsg_len = sizeof question,
                     .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                     .nlmsg_flags = NLM_F_REQUEST,
                     .nlmsg_seq = 0,
                     .nlmsg_pid = 0};
    question.wish.sdiag_family = static_cast<__u8>(ends.theirs.ss_family);
    question.wish.sdiag_protocol = IPPROTO_TCP;
    question.wish.idiag_ext = 1 << (INET_DIAG_TCLASS - 1);  // requests the priority too
    question.wish.idiag_states = ~0u;
    put(ends.theirs, question.wish.id.idiag_src, question.wish.id.idiag_sport);
    put(ends.ours, question.wish.id.idiag_dst, question.wish.id.idiag_dport);
    for (auto& half : question.wish.id.idiag_cookie) half = INET_DIAG_NOCOOKIE;
    return question;
}

LocalPeer read_answer(const nlmsghdr* head) {
    const auto* told = static_cast<const inet_diag_msg*>(NLMSG_DATA(head));
    LocalPeer peer{.cookie = std::uint64_t{told->id.idiag_cookie[1]} << 32 | told->id.idiag_cookie[0],
                   .held = told->idiag_inode != 0};
    auto left = static_cast<int>(head->nlmsg_len - NLMSG_LENGTH(sizeof *told));
    for (const auto* attribute = reinterpret_cast<const rtattr*>(told + 1); RTA_OK(attribute, left);
         attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type == INET_DIAG_CLASS_ID && RTA_PAYLOAD(attribute) >= sizeof peer.priority)
            std::memcpy(&peer.priority, RTA_DATA(attribute), sizeof peer.priority);
    }
    return peer;
}

std::optional<LocalPeer> ask(int netlink, const Ends& ends) {
    const Question question = question_about(ends);
    if (::send(netlink, &question, sizeof question, 0) < 0) return std::nullopt;
    alignas(nlmsghdr) std::array<char, 8192> answer;
    // Netlink is synchronous here: the answer is available when send() returns.
    const ssize_t size = ::recv(netlink, answer.data(), answer.size(), MSG_DONTWAIT);
    const auto* head = reinterpret_cast<const nlmsghdr*>(answer.data());
    if (size <= 0 || !NLMSG_OK(head, static_cast<std::size_t>(size))) return std::nullopt;
    if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || head->nlmsg_len < NLMSG_LENGTH(sizeof(inet_diag_msg)))
        return std::nullopt;
    if (static_cast<const inet_diag_msg*>(NLMSG_DATA(head))->idiag_state == TCP_LISTEN) return std::nullopt;
    return read_answer(head);
}

}  // namespace

LocalPeers::LocalPeers() : netlink_(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {}

std::optional<LocalPeer> LocalPeers::find(const TcpStream& stream) {
    const auto ends = ends_of(stream);
    return ends ? ask(netlink_.get(), *ends) : std::nullopt;
}

bool LocalPeers::answers(const TcpStream& stream) {
    auto ends = ends_of(stream);
    if (!ends) return true;
    std::swap(ends->ours, ends->theirs);
    return ask(netlink_.get(), *ends).has_value();
}

bool is_on_this_machine(const TcpStream& stream) {
    const std::string& address = stream.peer_address();
    if (address.starts_with("127.") || address == "::1" || address.empty()) return true;
    const auto ends = ends_of(stream);
    if (!ends) return false;
    __be32 ours[4] = {}, theirs[4] = {};
    __be16 port = 0;
    put(ends->ours, ours, port);
    put(ends->theirs, theirs, port);
    return std::memcmp(ours, theirs, sizeof ours) == 0;
}

}  // namespace gantry::net
