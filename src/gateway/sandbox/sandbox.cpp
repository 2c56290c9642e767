#include "gateway/sandbox/sandbox.hpp"

#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/try.hpp"
#include "gateway/sandbox/cgroup.hpp"
#include "gateway/sandbox/environment.hpp"
#include "gateway/sandbox/filter.hpp"
#include "gateway/sandbox/git_config.hpp"
#include "gateway/sandbox/landlock.hpp"
#include "gateway/sandbox/mounts.hpp"
#include "gateway/sandbox/proxy.hpp"

namespace gantry::gateway::sandbox {

namespace {

namespace fs = std::filesystem;

/// Creates it with all parents; accessible to us only.
Result<void> make_private(const std::string& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (!failed) fs::permissions(folder, fs::perms::owner_all, failed);
    if (failed) return fail(ErrorCode::kUnsupported, "isolation: cannot make " + folder + ": " + failed.message());
    return {};
}

Result<void> need(const Offer& offer, std::string_view wish) {
    if (offer.available) return {};
    return fail(Error(ErrorCode::kUnsupported, "isolation: " + std::string(wish) + " needs " + offer.name +
                                                   ", which this machine does not offer: " + offer.why)
                    .retryable(false));
}

/// Objects that live as long as a server's process tree.
struct Companions {
    std::shared_ptr<GuardedFamily> guarded;
    std::shared_ptr<const std::string> group;
    std::shared_ptr<void> proxy;
    std::shared_ptr<void> marks;
};

constexpr std::uint64_t capability(int number) {
    return std::uint64_t{1} << number;
}
/// Capabilities that root keeps under standard: as root, servers work on other users' files, above all in containers.
/// Other users have none of these to keep.
constexpr std::uint64_t kOfRoot = capability(CAP_CHOWN) | capability(CAP_DAC_OVERRIDE) | capability(CAP_FOWNER) |
                                  capability(CAP_FSETID) | capability(CAP_NET_BIND_SERVICE);

bool is_about_mounts(std::string_view step) {
    return step.starts_with("mount") || step.starts_with("make read-only");
}

/// An empty folder on which the roots of strict servers are built.
std::string root_folder(const Places& places) {
    return places.homes + "/.root";
}

}  // namespace

Places places_in(const std::string& state) {
    const char* home = std::getenv("HOME");
    const char* engine = std::getenv("DOCKER_HOST");
    std::vector<std::string> agents;
    for (const char* name : {"SSH_AUTH_SOCK", "XAUTHORITY"})
        if (const char* path = std::getenv(name); path != nullptr && *path == '/') agents.emplace_back(path);
    std::error_code ignored;
    const fs::path folder = fs::weakly_canonical(state, ignored);
    return {.state = folder.string(),
            .homes = (folder / "homes").string(),
            .home = home == nullptr ? std::string() : fs::path(home).lexically_normal().string(),
            .cwd = fs::current_path(ignored).string(),
            .engine = engine == nullptr ? std::string() : std::string(engine),
            .secrets = std::move(agents)};
}

LocalSandbox::LocalSandbox(Options options)
    : options_(std::move(options)), kernel_(options_.kernel != nullptr ? *options_.kernel : kernel()) {}

void LocalSandbox::note(const std::string& server, const std::string& what) {
    if (options_.on_note && noted_.insert(server + '\n' + what).second) options_.on_note(server, what);
}

Result<void> LocalSandbox::check_kernel(const Rules& rules) const {
    if (rules.strict) {
        GANTRY_CHECK(need(kernel_.namespaces, "strict"));
        GANTRY_CHECK(need(kernel_.landlock, "strict"));
        GANTRY_CHECK(need(kernel_.filter, "strict"));
    }
    // A network that should be restricted is never left open.
    if (rules.network != NetworkAccess::kOpen) GANTRY_CHECK(need(kernel_.network, "a restricted network"));
    return {};
}

void LocalSandbox::note_missing(const std::string& server, const Rules& rules) {
    if (rules.strict) return;
    for (const Offer& offer : {kernel_.namespaces, kernel_.landlock, kernel_.filter})
        if (!offer.available) note(server, "isolation lacks " + offer.name + ": " + offer.why);
}

void LocalSandbox::add_namespaces(process::Confinement& confinement, const Rules& rules) const {
    if (kernel_.namespaces.available) confinement.namespaces |= CLONE_NEWPID | CLONE_NEWNS;
    if (rules.strict) confinement.namespaces |= CLONE_NEWIPC | CLONE_NEWUTS;
    if (rules.network != NetworkAccess::kOpen) {
        confinement.namespaces |= CLONE_NEWPID | CLONE_NEWNET;
        confinement.loopback();
        if (rules.network == NetworkAccess::kListed) confinement.listen(kProxyPort);
    }
    // Unprivileged users need one, and finding that out by trying costs a process.
    confinement.user_namespace = confinement.namespaces != 0 && geteuid() != 0;
}

/// `counted`: a cgroup already enforces them.
void LocalSandbox::add_limits(process::Confinement& confinement, const Rules& rules, bool counted) const {
    confinement.limit(RLIMIT_CORE, 0, "core files");
    if (counted) return;
    // Threads are counted per user namespace, but never for root.
    const bool own_count = confinement.user_namespace && kernel_.counts_tasks;
    if (own_count && rules.tasks != 0) confinement.limit(RLIMIT_NPROC, rules.tasks, "processes");
    const std::size_t watched_tasks = own_count || confinement.namespaces == 0 ? 0 : rules.tasks;
    if (rules.memory != 0 || watched_tasks != 0) confinement.watch(rules.memory, watched_tasks);
}

Result<void> LocalSandbox::make_folders(const McpServerSpec& server, const Rules& rules) {
    GANTRY_CHECK(make_private(options_.places.homes));
    GANTRY_CHECK(make_private(root_folder(options_.places)));
    if (server.isolation.home != HomeFolder::kOwn) return {};
    GANTRY_CHECK(make_private(rules.home));
    // In strict the user's settings must stay invisible.
    if (rules.strict) return {};
    if (auto included = include_git_config(rules.home, options_.places.home); !included)
        note(server.name, included.error().message());
    return {};
}

std::shared_ptr<const std::string> LocalSandbox::make_group(const McpServerSpec& server, const Rules& rules) {
    if (!kernel_.limits.available) return nullptr;
    auto groups = Cgroup::find();
    // Two more for the processes that supervise the family.
    auto made = groups ? groups->make(server.name, rules.memory, rules.tasks + 2) : fail(groups.error());
    if (made) return *std::move(made);
    note(server.name, "isolation enforces limits without a cgroup: " + made.error().message());
    return nullptr;
}

process::Confinement LocalSandbox::confinement_of(const McpServerSpec& server, const Rules& rules,
                                                  const std::string* group) {
    process::Confinement confinement;
    if (group != nullptr) confinement.write_file(*group + "/cgroup.procs", "0");
    add_namespaces(confinement, rules);
    confinement.required(rules.strict);
    if (rules.strict)
        add_own_root(confinement, rules, root_folder(options_.places));
    else if (kernel_.namespaces.available)
        add_mounts(confinement, rules, root_folder(options_.places));
    add_limits(confinement, rules, group != nullptr);
    confinement.required(true).no_privileges(rules.strict ? 0 : kOfRoot).required(rules.strict);
    if (!add_landlock(confinement, rules, kernel_.landlock_version) && kernel_.landlock.available)
        note(server.name, "isolation lacks " + kernel_.landlock.name + ": this kernel's version is too old");
    if (kernel_.filter.available) confinement.filter(system_call_filter(rules.strict));
    if (rules.marks_sockets && kernel_.marks_sockets) {
        confinement.required(rules.strict).filter(socket_marks_filter(), true);
    } else if (rules.marks_sockets) {
        note(server.name, "it can call this gateway itself: preventing that needs Linux 5.14");
    }
    return confinement;
}

GuardedFamily LocalSandbox::guarded_by(const McpServerSpec& server, const Rules& rules) const {
    if (!kernel_.namespaces.available) return {.server = server.name};
    GuardedFamily family{.server = server.name, .locked = rules.locked, .open = rules.open};
    // Hidden entirely except for the server's own home, yet pinned files may be in it: a service has its home there.
    family.locked.push_back(options_.places.state);
    std::error_code failed;
    family.open.push_back(fs::weakly_canonical(rules.home, failed).string());
    return family;
}

Result<void> LocalSandbox::confine(const McpServerSpec& server, process::Command& command) {
    if (server.isolation.level == IsolationLevel::kOff) return {};
    if (options_.check_places) GANTRY_CHECK(options_.check_places());
    const Rules rules = rules_of(server, command, options_.places);
    GANTRY_CHECK(check_kernel(rules));
    note_missing(server.name, rules);
    GANTRY_CHECK(make_folders(server, rules));

    auto beside = std::make_shared<Companions>();
    beside->guarded = guard_->add(guarded_by(server, rules));
    beside->group = make_group(server, rules);
    command.confinement =
        std::make_shared<const process::Confinement>(confinement_of(server, rules, beside->group.get()));
    complete_environment(command.env, server, rules, host_environment());
    if (rules.strict && command.cwd.empty()) command.cwd = rules.home;
    command.on_skipped = [this, name = server.name, guard = guard_, family = beside->guarded](std::string_view step,
                                                                                              std::string_view reason) {
        if (is_about_mounts(step)) guard->opened(*family);
        note(name, "isolation lacks one part: " + std::string(step) + ": " + std::string(reason));
    };
    auto tell = [on_note = options_.on_note, name = server.name](const std::string& what) {
        if (on_note) on_note(name, what);
    };
    command.beside = [beside, hosts = rules.hosts, resolve = options_.resolve, tell = std::move(tell),
                      callers = callers_, marks = rules.marks_sockets,
                      name = server.name](Loop& loop, Fd listener) -> std::shared_ptr<void> {
        if (listener && marks)
            beside->marks = callers->mark(loop, std::move(listener), name);
        else if (listener)
            beside->proxy = start_proxy(loop, std::move(listener), hosts, resolve, tell);
        return beside;
    };
    return {};
}

}  // namespace gantry::gateway::sandbox
