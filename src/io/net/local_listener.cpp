#include "io/net/local_listener.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "base/try.hpp"
#include "io/fd.hpp"
#include "io/net/socket.hpp"

namespace gantry::net {
namespace {

/// TCP_LISTEN as /proc spells it.
constexpr std::string_view kListening = "0A";

std::uint32_t hex(std::string_view text) {
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
}

/// An address as /proc/net/tcp prints it: 32-bit words of network order, each as a number of the host.
std::string address_of(std::string_view digits) {
    std::array<std::uint32_t, 4> words{};
    const std::size_t count = digits.size() / 8;
    if (digits.size() % 8 != 0 || (count != 1 && count != 4)) return {};
    for (std::size_t i = 0; i < count; ++i) words[i] = hex(digits.substr(8 * i, 8));
    std::array<char, INET6_ADDRSTRLEN> text{};
    return ::inet_ntop(count == 1 ? AF_INET : AF_INET6, words.data(), text.data(), text.size()) == nullptr
               ? std::string()
               : std::string(text.data());
}

/// Reads one of the two tables. The kernel lists listening sockets first, so the connections of a busy machine are
/// never read.
bool read_table(const std::string& file, std::vector<LocalListener>& into) {
    std::ifstream table(file);
    std::string line;
    if (!std::getline(table, line)) return false;
    while (std::getline(table, line)) {
        // "sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …"
        std::istringstream fields(line);
        std::string number, local, remote, state, queues, timer, retransmits, uid, timeout;
        LocalListener listener;
        fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >>
            listener.inode;
        if (state != kListening) break;
        const auto colon = local.find(':');
        if (!fields || colon == std::string::npos) continue;
        listener.address = address_of(std::string_view(local).substr(0, colon));
        listener.port = static_cast<std::uint16_t>(hex(std::string_view(local).substr(colon + 1)));
        into.push_back(std::move(listener));
    }
    return true;
}

}  // namespace

std::string LocalListener::text() const {
    return (address.contains(':') ? "[" + address + "]:" : address + ":") + std::to_string(port);
}

std::vector<std::string> LocalListener::reached_at() const {
    if (address == "0.0.0.0") return {"127.0.0.1"};
    if (address == "::") return {"127.0.0.1", "::1"};
    if (address == "::1" || address.starts_with("127.")) return {address};
    constexpr std::string_view kMapped = "::ffff:";
    if (address.starts_with("::ffff:127.")) return {address.substr(kMapped.size())};
    return {};
}

Result<std::vector<LocalListener>> listeners_seen_by(int pid) {
    const std::string folder = "/proc/" + std::to_string(pid) + "/net/";
    std::vector<LocalListener> found;
    const bool v4 = read_table(folder + "tcp", found);
    const bool v6 = read_table(folder + "tcp6", found);
    if (v4 || v6) return found;
    return fail(ErrorCode::kUnsupported, "this system does not list listening sockets in /proc/PID/net/tcp");
}

Result<std::uint16_t> find_free_port() {
    // A dual-stack socket conflicts with every listener of either family; without IPv6 there is only the other one.
    for (const char* any : {"::", "0.0.0.0"}) {
        auto address = SocketAddress::parse(any, 0);
        const Fd fd(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP));
        if (!fd || ::bind(fd.get(), std::as_const(*address).data(), address->size()) != 0) continue;
        if (::getsockname(fd.get(), address->data(), address->room()) == 0) return address->port();
    }
    return fail(connection_error("find a free port", errno));
}

}  // namespace gantry::net
