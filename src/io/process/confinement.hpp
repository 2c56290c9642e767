#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gantry/error.hpp"
#include "io/process/reaper/plan.hpp"

namespace gantry::process {

/// What a child is kept from: namespaces, and steps the reaper and the child take in their order before the program
/// runs. Says how, not what: levels and defaults are decided above (gateway/sandbox).
///
/// A required step fails the start when the kernel refuses it; another one is passed over and reported to
/// Command::on_skipped.
class Confinement {
public:
    using Kind = reaper::StepKind;

    /// CLONE_NEWPID, CLONE_NEWNS, …; always with CLONE_NEWPID. A user namespace comes by itself where the others need
    /// it.
    int namespaces = 0;
    /// A user namespace also where we could do without.
    bool user_namespace = false;

    /// About the steps that follow.
    Confinement& required(bool yes) { return required_ = yes, *this; }

    Confinement& share_no_mounts();
    Confinement& mount(std::string_view type, std::string_view where, unsigned long flags, std::string_view options);
    /// With everything mounted below.
    Confinement& bind(std::string_view from, std::string_view to);
    /// With everything mounted below.
    Confinement& read_only(std::string_view where);
    /// Only this mount, not those below.
    Confinement& read_only_alone(std::string_view where);
    Confinement& writable(std::string_view where);
    Confinement& make_folder(std::string_view path, unsigned mode);
    Confinement& make_file(std::string_view path);
    Confinement& link(std::string_view says, std::string_view path);
    Confinement& change_root(std::string_view folder);
    Confinement& loopback();
    /// A socket that listens inside; handed to Command::beside.
    Confinement& listen(std::uint16_t port);
    Confinement& write_file(std::string_view path, std::string_view text);
    Confinement& watch(std::uint64_t memory, std::uint64_t tasks);

    Confinement& limit(int resource, std::uint64_t value, std::string_view name);
    /// `kept`: a mask of capabilities that stay where they are there already.
    Confinement& no_privileges(std::uint64_t kept = 0);
    Confinement& landlock(std::uint64_t files, std::uint64_t network, std::uint64_t scopes);
    /// A path that does not exist is passed over without a word.
    Confinement& landlock_allow(std::string_view path, std::uint64_t accesses);
    Confinement& landlock_enforce();
    /// `program`: struct sock_filter, one behind the other. `answered`: it sends some calls to us; the descriptor they
    /// come by is handed to Command::beside in the place of a socket.
    Confinement& filter(std::string_view program, bool answered = false);

    const std::string& plan() const noexcept { return plan_; }
    /// For messages: "hide /home/ada/.ssh".
    std::string_view name_of(std::size_t step) const noexcept;

private:
    Confinement& add(Kind kind, std::string name, std::string_view payload, std::uint64_t a = 0, std::uint64_t b = 0,
                     std::uint64_t c = 0);

    bool required_ = true;
    std::string plan_;
    std::vector<std::string> names_;
};

/// Goes through all of it up to the program, which is not run: what this kernel refuses is the error. Blocks for a
/// millisecond or two, so it is for the start.
Result<void> rehearse(const Confinement& confinement);

}  // namespace gantry::process
