#include "app/instances/instances.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/try.hpp"
#include "io/fd.hpp"

namespace gantry::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "control-";
constexpr std::string_view kEnd = ".sock";

std::optional<int> pid_of(const std::string& name) {
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
    const char* const first = name.data() + kBegin.size();
    const char* const last = name.data() + name.size() - kEnd.size();
    int pid = 0;
    const auto [at, error] = std::from_chars(first, last, pid);
    if (error != std::errc() || at != last || pid <= 0) return std::nullopt;
    return pid;
}

/// Zero: a gateway is listening there; otherwise the errno. The process id alone would not tell: it may have been
/// reused.
int silence_of(const fs::path& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& path = socket.native();
    if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
    std::memcpy(address.sun_path, path.data(), path.size());
    const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) return errno;
    return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

std::unexpected<Error> forbidden(const fs::path& state_dir) {
    return fail(ErrorCode::kDenied, state_dir.string() +
                                        ": permission denied; only the user that the gateway runs as can control it, "
                                        "e.g. with sudo -u USER gantry …");
}

}  // namespace

fs::path control_socket(const fs::path& state_dir, int pid) {
    return state_dir / (std::string(kBegin) + std::to_string(pid) + std::string(kEnd));
}

Result<std::vector<Instance>> find_instances(const fs::path& state_dir) {
    std::vector<Instance> found;
    std::error_code failed;
    bool closed = false;
    fs::directory_iterator entries(state_dir, failed);
    if (failed == std::errc::permission_denied) return forbidden(state_dir);
    for (const fs::directory_entry& entry : entries) {
        const auto pid = pid_of(entry.path().filename().string());
        if (!pid) continue;
        const int silence = silence_of(entry.path());
        if (silence == 0) {
            found.push_back({.pid = *pid, .socket = entry.path()});
        } else if (silence == ECONNREFUSED) {
            fs::remove(entry.path(), failed);
        }
        closed = closed || silence == EACCES || silence == EPERM;
    }
    if (found.empty() && closed) return forbidden(state_dir);
    std::ranges::sort(found, {}, &Instance::pid);
    return found;
}

std::vector<Instance> running_instances(const fs::path& state_dir) {
    return find_instances(state_dir).value_or(std::vector<Instance>());
}

Result<Instance> choose_instance(const fs::path& state_dir, int pid) {
    GANTRY_TRY(const auto running, find_instances(state_dir));
    if (running.empty()) {
        return fail(ErrorCode::kNotFound, "no gateway runs with the state folder " + state_dir.string() +
                                              "; start one with gantry serve, or say where its state is with "
                                              "--state-dir");
    }
    if (pid == 0 && running.size() == 1) return running.front();
    if (pid != 0) {
        const auto chosen = std::ranges::find(running, pid, &Instance::pid);
        if (chosen != running.end()) return *chosen;
    }
    std::string pids;
    for (const Instance& one : running) pids += " " + std::to_string(one.pid);
    return pid == 0 ? fail(ErrorCode::kInvalidArgument, "several gateways run here; say which one with --pid:" + pids)
                    : fail(ErrorCode::kNotFound,
                           "no gateway with process id " + std::to_string(pid) + " runs here; there is:" + pids);
}

Result<Instance> choose_any_instance(const fs::path& state_dir, int pid) {
    const auto running = running_instances(state_dir);
    return choose_instance(state_dir, pid == 0 && !running.empty() ? running.front().pid : pid);
}

}  // namespace gantry::app
