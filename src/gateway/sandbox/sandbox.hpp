#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "gateway/ports/sandbox.hpp"
#include "gateway/sandbox/callers.hpp"
#include "gateway/sandbox/guard.hpp"
#include "gateway/sandbox/kernel.hpp"
#include "gateway/sandbox/levels.hpp"
#include "io/net/egress.hpp"
#include "io/process/confinement.hpp"

namespace gantry::gateway::sandbox {

struct Options {
    Places places;
    /// Verifies that the folders in `places` are still the same ones; a server is not started if they are not.
    std::function<Result<void>()> check_places = {};
    /// Reports something the operator should know, once per server.
    std::function<void(const std::string& server, const std::string& what)> on_note = {};
    /// Replaces the detected kernel features.
    const Kernel* kernel = nullptr;
    /// Name resolution for the proxy; the system's unless a test replaces it.
    net::Resolve resolve = {};
};

/// Isolation with standard Linux features: namespaces, Landlock, seccomp and limits, all applied by the reaper of
/// io/process. Needs no container engine, no helper program and no root.
class LocalSandbox final : public Sandbox {
public:
    explicit LocalSandbox(Options options);

    Result<void> confine(const McpServerSpec& server, process::Command& command) override;

    /// Applies to later starts.
    void set_places(Places places) { options_.places = std::move(places); }
    /// Tells which running servers could write in a folder that is to be locked.
    std::shared_ptr<const Guard> guard() const { return guard_; }
    /// Tells which connections to the gateway come from its own servers.
    std::shared_ptr<Callers> callers() const { return callers_; }

private:
    Result<void> check_kernel(const Rules& rules) const;
    Result<void> make_folders(const McpServerSpec& server, const Rules& rules);
    /// A cgroup with the server's limits; null when cgroups are not available.
    std::shared_ptr<const std::string> make_group(const McpServerSpec& server, const Rules& rules);
    process::Confinement confinement_of(const McpServerSpec& server, const Rules& rules, const std::string* group);
    GuardedFamily guarded_by(const McpServerSpec& server, const Rules& rules) const;
    void add_namespaces(process::Confinement& confinement, const Rules& rules) const;
    void add_limits(process::Confinement& confinement, const Rules& rules, bool counted) const;
    void note(const std::string& server, const std::string& what);
    void note_missing(const std::string& server, const Rules& rules);

    Options options_;
    const Kernel& kernel_;
    std::shared_ptr<Guard> guard_ = std::make_shared<Guard>();
    std::shared_ptr<Callers> callers_ = std::make_shared<Callers>();
    std::set<std::string> noted_;
};

/// The locations for this process, with the gateway's state folder at `state`.
Places places_in(const std::string& state);

}  // namespace gantry::gateway::sandbox
