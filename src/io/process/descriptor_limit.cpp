#include "io/process/descriptor_limit.hpp"

#include <mutex>

namespace gantry::process {
namespace {

std::mutex changing;
std::optional<rlimit> started_with;

}  // namespace

std::size_t raise_descriptor_limit() {
    const std::lock_guard lock(changing);
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    if (limit.rlim_cur < limit.rlim_max) {
        const rlimit before = limit;
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return before.rlim_cur;
        if (!started_with) started_with = before;
    }
    return limit.rlim_cur;
}

std::optional<rlimit> descriptor_limit_for_children() noexcept {
    const std::lock_guard lock(changing);
    return started_with;
}

}  // namespace gantry::process
