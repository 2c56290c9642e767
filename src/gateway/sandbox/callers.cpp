#include "gateway/sandbox/callers.hpp"

#include "io/process/marked_sockets.hpp"

namespace gantry::gateway::sandbox {

namespace {

// Names are used in messages only; refusals depend on the mark.
constexpr std::size_t kMostNames = 16'384;

}  // namespace

void Callers::Names::add(std::uint64_t cookie, const std::string& server) {
    servers[cookie] = server;
    order.push_back(cookie);
    if (order.size() <= kMostNames) return;
    servers.erase(order.front());
    order.pop_front();
}

std::shared_ptr<void> Callers::mark(Loop& loop, Fd calls, std::string server) {
    struct Family {
        explicit Family(std::shared_ptr<Names> known) : names(std::move(known)) { ++names->families; }
        ~Family() { --names->families; }
        Family(const Family&) = delete;
        Family& operator=(const Family&) = delete;
        std::shared_ptr<Names> names;
        std::unique_ptr<process::MarkedSockets> sockets;
    };
    auto family = std::make_shared<Family>(names_);
    family->sockets = std::make_unique<process::MarkedSockets>(
        loop, std::move(calls),
        [names = names_, server = std::move(server)](std::uint64_t cookie) { names->add(cookie, server); });
    return family;
}

std::string Callers::refuse(const net::TcpStream& stream) {
    if (names_->families == 0) return {};
    const auto peer = peers_.find(stream);
    if (!peer) {
        if (!net::is_on_this_machine(stream)) return {};
        blind_ = !peers_.answers(stream);
        // A server could send a request and hang up before this check. Refusing costs no real client anything: there is
        // no one left to read the answer.
        return blind_ ? "" : "a program that has hung up already";
    }
    if (peer->priority == process::kMarkedPriority) {
        const auto known = names_->servers.find(peer->cookie);
        return known == names_->servers.end() ? "an isolated server" : "the isolated server " + known->second;
    }
    return peer->held ? "" : "a program that has hung up already";
}

}  // namespace gantry::gateway::sandbox
