#include "io/process/reports.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace gantry::process {

std::optional<Received> receive_report(int control) {
    Received received;
    alignas(cmsghdr) char extra[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int))];
    iovec part{&received.report, sizeof received.report};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = extra;
    message.msg_controllen = sizeof extra;
    ssize_t size;
    do size = ::recvmsg(control, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (size < 0 && errno == EINTR);
    if (size < 0 && errno == EAGAIN) return std::nullopt;
    received.whole = size == sizeof received.report;
    if (size < 0) return received;
    for (const cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
         head = CMSG_NXTHDR(&message, const_cast<cmsghdr*>(head))) {
        if (head->cmsg_level != SOL_SOCKET) continue;
        if (head->cmsg_type == SCM_CREDENTIALS) {
            ucred sender;
            std::memcpy(&sender, CMSG_DATA(head), sizeof sender);
            received.sender = sender.pid;
        } else if (head->cmsg_type == SCM_RIGHTS) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
            received.socket = Fd(fd);
        }
    }
    return received;
}

}  // namespace gantry::process
