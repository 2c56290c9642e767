#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gantry/error.hpp"
#include "io/process/reaper/plan.hpp"

namespace gantry::process {

/// How a child is confined: namespaces, and ordered steps of the reaper and the child before the program
/// runs. Mechanism only; levels and defaults are decided by gateway/sandbox.
///
/// A required step fails the start if the kernel rejects it; an optional one is skipped and reported to
/// Command::on_skipped.
class Confinement {
public:
    using Kind = reaper::StepKind;

    /// CLONE_NEWPID, CLONE_NEWNS, …; always with CLONE_NEWPID. A user namespace is added automatically if the others
    /// need it.
    int namespaces = 0;
    /// Use a user namespace even if it is not needed.
    bool user_namespace = false;

    /// Applies to the following steps.
    Confinement& required(bool yes) { return required_ = yes, *this; }

    Confinement& share_no_mounts();
    Confinement& mount(std::string_view type, std::string_view where, unsigned long flags, std::string_view options);
    /// Including all mounts below.
    Confinement& bind(std::string_view from, std::string_view to);
    /// Including all mounts below.
    Confinement& read_only(std::string_view where);
    /// Only this mount, not those below.
    Confinement& read_only_alone(std::string_view where);
    Confinement& writable(std::string_view where);
    Confinement& make_folder(std::string_view path, unsigned mode);
    Confinement& make_file(std::string_view path);
    Confinement& link(std::string_view says, std::string_view path);
    Confinement& change_root(std::string_view folder);
    Confinement& loopback();
    /// A listening socket inside the namespace; passed to Command::beside.
    Confinement& listen(std::uint16_t port);
    Confinement& write_file(std::string_view path, std::string_view text);
    Confinement& watch(std::uint64_t memory, std::uint64_t tasks);

    Confinement& limit(int resource, std::uint64_t value, std::string_view name);
    /// `kept`: a mask of capabilities that are kept if the process has them.
    Confinement& no_privileges(std::uint64_t kept = 0);
    Confinement& landlock(std::uint64_t files, std::uint64_t network, std::uint64_t scopes);
    /// A path that does not exist is skipped silently.
    Confinement& landlock_allow(std::string_view path, std::uint64_t accesses);
    Confinement& landlock_enforce();
    /// `program`: an array of struct sock_filter. `answered`: some calls are forwarded to us; their notification
    /// descriptor is passed to Command::beside in place of a socket.
    Confinement& filter(std::string_view program, bool answered = false);

    const std::string& plan() const noexcept { return plan_; }
    /// For messages, e.g. "hide /home/ada/.ssh".
    std::string_view name_of(std::size_t step) const noexcept;

private:
    Confinement& add(Kind kind, std::string name, std::string_view payload, std::uint64_t a = 0, std::uint64_t b = 0,
                     std::uint64_t c = 0);

    bool required_ = true;
    std::string plan_;
    std::vector<std::string> names_;
};

/// Performs all steps except running the program; fails with what this kernel rejects. Blocks for a
/// millisecond or two, so call it at startup.
Result<void> rehearse(const Confinement& confinement);

}  // namespace gantry::process
