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
    /// Whether the folders named there are the ones they were; a server is not started otherwise.
    std::function<Result<void>()> check_places = {};
    /// Something an operator should know, each only once per server.
    std::function<void(const std::string& server, const std::string& what)> on_note = {};
    /// In the place of what this kernel really offers.
    const Kernel* kernel = nullptr;
    /// How the proxy looks names up; the system's way unless a test says otherwise.
    net::Resolve resolve = {};
};

/// Isolation by what every Linux has: namespaces, Landlock, seccomp, limits, all set by the reaper of io/process.
/// No container engine, no helper program, no root.
class LocalSandbox final : public Sandbox {
public:
    explicit LocalSandbox(Options options);

    Result<void> confine(const McpServerSpec& server, process::Command& command) override;

    /// What later starts go by.
    void set_places(Places places) { options_.places = std::move(places); }
    /// Which of the servers that run could write in a folder that is to be locked.
    std::shared_ptr<const Guard> guard() const { return guard_; }
    /// Which connections to the gateway are its own servers'.
    std::shared_ptr<Callers> callers() const { return callers_; }

private:
    Result<void> check_kernel(const Rules& rules) const;
    Result<void> make_folders(const McpServerSpec& server, const Rules& rules);
    /// A group with the server's limits, where the kernel counts for us; null: it does not.
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

/// Where things are for this process, with the gateway's folder at `state`.
Places places_in(const std::string& state);

}  // namespace gantry::gateway::sandbox
