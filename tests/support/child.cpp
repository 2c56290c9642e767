#include "support/child.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace gantry::testing {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

std::vector<std::string> environment(const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::string_view name = text.substr(0, text.find('='));
        if (std::ranges::find(more, name, [](const auto& pair) { return std::string_view(pair.first); }) == more.end())
            out.emplace_back(text);
    }
    for (const auto& [name, value] : more) out.push_back(name + "=" + value);
    return out;
}

/// False at the end of the stream, which is then closed.
bool drain(int& fd, std::string& into) {
    std::array<char, 65536> buffer{};
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got > 0) {
        into.append(buffer.data(), static_cast<std::size_t>(got));
        return true;
    }
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    close(fd);
    fd = -1;
    return false;
}

}  // namespace

Child::Child(Options options) {
    int out[2];
    int err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
        ADD_FAILURE() << "no pipes: " << std::strerror(errno);
        return;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);

    std::vector<std::string> env = environment(options.env);
    const auto argv = pointers(options.command);
    const auto envp = pointers(env);
    const int failed = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), envp.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(err[1]);
    out_fd_ = out[0];
    err_fd_ = err[0];
    if (failed != 0) {
        pid_ = -1;
        ADD_FAILURE() << "cannot start " << options.command[0] << ": " << std::strerror(failed);
    }
}

Child::~Child() {
    kill_group();
    if (out_fd_ >= 0) close(out_fd_);
    if (err_fd_ >= 0) close(err_fd_);
}

void Child::kill_group() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
    pid_ = -1;
}

/// Reads once from whatever is ready; false when both streams have ended or the time is up.
bool Child::pump(Clock::time_point until) {
    std::array<pollfd, 2> waiting{pollfd{out_fd_, POLLIN, 0}, pollfd{err_fd_, POLLIN, 0}};  // -1 is ignored
    if (out_fd_ < 0 && err_fd_ < 0) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0 || poll(waiting.data(), waiting.size(), static_cast<int>(left)) == 0) return false;
    if (waiting[0].revents != 0) drain(out_fd_, out_);
    if (waiting[1].revents != 0) drain(err_fd_, err_);
    return true;
}

bool Child::wait_for_output(std::string_view text, std::chrono::seconds limit) {
    const auto until = Clock::now() + limit;
    while (out_.find(text) == std::string::npos && err_.find(text) == std::string::npos) {
        if (!running() || !pump(until)) return false;
    }
    return true;
}

std::optional<int> Child::wait(std::chrono::seconds limit) {
    const auto until = Clock::now() + limit;
    while (pump(until)) {}
    if (!running() || out_fd_ >= 0 || err_fd_ >= 0) return std::nullopt;
    int status = 0;
    // Both streams are closed, so the process is about to exit; otherwise the destructor kills it.
    const bool ended = eventually([this, &status] { return waitpid(pid_, &status, WNOHANG) == pid_; }, limit);
    if (!ended) return std::nullopt;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int free_port() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(fd, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    close(fd);
    return ntohs(address.sin_port);
}

bool wait_for_port(int port, std::chrono::seconds limit) {
    return eventually(
        [port] {
            const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            address.sin_port = htons(static_cast<std::uint16_t>(port));
            const bool open = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
            close(fd);
            return open;
        },
        limit);
}

}  // namespace gantry::testing
