#pragma once

#include <memory>
#include <string>

#include "gantry/error.hpp"

namespace gantry::gateway::sandbox {

/// A folder of cgroup v2 that belongs to us, in which the kernel itself counts the memory and tasks of a family.
class Cgroup {
public:
    /// The one this process is in, if it was delegated to us with both controllers. kUnsupported says what is missing.
    static Result<Cgroup> find();
    /// The same in a tree that is mounted elsewhere; `self` is the text of /proc/self/cgroup.
    static Result<Cgroup> find_in(const std::string& mount, const std::string& self);

    const std::string& folder() const noexcept { return folder_; }
    /// Makes room for limits: this process moves into a leaf of its own, for the kernel limits only the children of
    /// groups nobody is in. Once is enough.
    Result<void> prepare() const;

    /// A group with limits; 0: none. Gone with the last owner.
    Result<std::shared_ptr<const std::string>> make(const std::string& name, std::size_t memory,
                                                    std::size_t tasks) const;

private:
    explicit Cgroup(std::string folder) : folder_(std::move(folder)) {}
    std::string folder_;
};

}  // namespace gantry::gateway::sandbox
