#pragma once

#include <memory>
#include <string>

#include "gantry/error.hpp"

namespace gantry::gateway::sandbox {

/// A delegated cgroup v2 directory, in which the kernel accounts memory and tasks of a process tree.
class Cgroup {
public:
    /// The cgroup of this process, if it was delegated with both controllers. kUnsupported says what is missing.
    static Result<Cgroup> find();
    /// The same with the tree mounted elsewhere; `self` is the text of /proc/self/cgroup.
    static Result<Cgroup> find_in(const std::string& mount, const std::string& self);

    const std::string& folder() const noexcept { return folder_; }
    /// Moves this process into a leaf cgroup of its own: the kernel applies limits only to children of cgroups that
    /// have no member processes. Needed once.
    Result<void> prepare() const;

    /// Creates a cgroup with limits; 0: unlimited. Removed when the last owner drops the result.
    Result<std::shared_ptr<const std::string>> make(const std::string& name, std::size_t memory,
                                                    std::size_t tasks) const;

private:
    explicit Cgroup(std::string folder) : folder_(std::move(folder)) {}
    std::string folder_;
};

}  // namespace gantry::gateway::sandbox
