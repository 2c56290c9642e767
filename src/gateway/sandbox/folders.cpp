#include "gateway/sandbox/folders.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "io/path_walk.hpp"

namespace gantry::gateway::sandbox {

namespace fs = std::filesystem;

std::vector<std::string> system_folders() {
    return {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/run/current-system",
            // Of /etc only what libraries need: the linker, names, certificates, time, types.
            "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/ssl", "/etc/pki",
            "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies", "/etc/resolv.conf",
            "/etc/hosts", "/etc/host.conf", "/etc/hostname", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
            "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/localtime", "/etc/timezone", "/etc/os-release",
            "/etc/mime.types", "/etc/magic", "/etc/fonts", "/etc/terminfo", "/etc/python3", "/etc/npmrc",
            "/sys/devices/system/cpu"};
}

std::vector<std::string> secret_places(const std::string& home) {
    static constexpr std::string_view kInHome[] = {
        // Keys and key agents.
        ".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".config/sops", ".config/age", ".config/op",
        ".config/1Password", ".vault-token",
        // Cloud credentials.
        ".aws", ".azure", ".config/gcloud", ".oci", ".kube", ".docker", ".config/containers", ".terraform.d",
        ".config/doctl", ".fly", ".config/rclone", ".s3cfg", ".boto",
        // Credentials of models and of programs that use them.
        ".local/share/gantry", ".config/gantry", ".claude", ".claude.json", ".config/anthropic", ".codex",
        ".config/openai", ".gemini", ".config/github-copilot",
        // Code hosts and package registries.
        ".netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub", ".config/glab-cli",
        ".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml",
        // Databases and the histories of their clients, shells, editors and interpreters.
        ".pgpass", ".my.cnf", ".mylogin.cnf", ".bash_history", ".bash_sessions", ".zsh_history", ".zhistory",
        ".zsh_sessions", ".histfile", ".history", ".sh_history", ".ash_history", ".local/share/fish/fish_history",
        ".psql_history", ".mysql_history", ".mariadb_history", ".sqlite_history", ".rediscli_history", ".dbshell",
        ".mongodb/mongosh", ".influx_history", ".duckdb_history", ".usql_history", ".lesshst", ".local/state/lesshst",
        ".viminfo", ".local/state/nvim", ".local/share/nvim/shada", ".python_history", ".local/state/python_history",
        ".ipython/profile_default/history.sqlite", ".node_repl_history", ".irb_history", ".pry_history", ".php_history",
        ".Rhistory", ".gdb_history", ".octave_hist", ".lftp", ".local/share/recently-used.xbel",
        // Files of environment variables with secrets.
        ".env", ".envrc", ".local/share/direnv",
        // Mail and browsers.
        ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware",
        ".config/microsoft-edge"};
    std::vector<std::string> places;
    if (!home.empty())
        for (const std::string_view name : kInHome) places.push_back(home + '/' + std::string(name));
    // The session bus gives access to the keyring; an engine's socket is equivalent to root.
    places.emplace_back("/run/user");
    for (const std::string_view socket :
         {"/run/docker.sock", "/var/run/docker.sock", "/run/containerd", "/run/podman", "/run/crio", "/run/secrets",
          "/var/run/secrets", "/run/credentials", "/run/snapd.socket", "/run/libvirt", "/run/dbus",
          "/run/systemd/private", "/run/initctl", "/tmp/.X11-unix", "/tmp/.ICE-unix"})
        places.emplace_back(socket);
    for (const std::string_view file : {"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh"})
        places.emplace_back(file);
    return places;
}

std::vector<std::string> startup_places(const std::string& home) {
    static constexpr std::string_view kInHome[] = {
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
        ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc",
        ".config/fish", ".config/zsh", ".config/nushell", ".config/direnv", ".direnvrc",
        // Desktops and services.
        ".pam_environment", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".xserverrc", ".config/autostart",
        ".config/systemd", ".local/share/systemd", ".config/environment.d", ".config/plasma-workspace",
        ".local/share/applications", ".forward", ".mailcap",
        // Programs that execute what their settings say.
        ".gitconfig", ".config/git", ".hgrc", ".config/hg", ".vimrc", ".vim", ".gvimrc", ".config/nvim", ".emacs",
        ".emacs.d", ".config/emacs", ".tmux.conf", ".config/tmux", ".screenrc", ".gdbinit", ".lldbinit", ".Rprofile",
        ".irbrc", ".pryrc", ".ipython/profile_default/startup", ".cargo/config", ".cargo/config.toml", ".config/pip",
        ".condarc", ".yarnrc", ".yarnrc.yml", ".local/bin", "bin"};
    std::vector<std::string> places;
    for (const std::string_view name : kInHome) places.push_back(home + '/' + std::string(name));
    return places;
}

std::vector<std::string> all_homes(const std::string& home) {
    std::vector<std::string> homes;
    if (home.size() > 1) homes.push_back(home);
    // Unprivileged users cannot write each other's homes.
    if (::geteuid() != 0) return homes;
    std::error_code failed;
    homes.emplace_back("/root");
    for (auto entry = fs::directory_iterator("/home", failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed))
        homes.push_back(entry->path().string());
    std::ranges::sort(homes);
    const auto [first, last] = std::ranges::unique(homes);
    homes.erase(first, last);
    return homes;
}

namespace {

// Each entry is a rule in every server; entries beyond this are read-only.
constexpr std::size_t kMostEntries = 4096;

void add_without(std::vector<std::string>& out, const std::string& folder, const std::vector<std::string>& homes) {
    const bool home = std::ranges::find(homes, folder) != homes.end();
    const bool shared = std::ranges::find(shared_folders(), folder) != shared_folders().end();
    const bool holds = std::ranges::any_of(homes, [&folder](const std::string& one) { return is_below(one, folder); });
    if (shared || !holds) {
        out.push_back(folder);
        return;
    }
    std::error_code failed;
    for (auto entry = fs::directory_iterator(folder, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed)) {
        std::error_code gone;
        const bool dot = entry->path().filename().string().starts_with('.');
        // A link's target may be anywhere; whether it is writable depends on its own path.
        if ((home && dot) || entry->is_symlink(gone)) continue;
        if (out.size() >= kMostEntries) return;
        add_without(out, entry->path().string(), homes);
    }
}

}  // namespace

std::vector<std::string> without_dot_files(const std::vector<std::string>& folders,
                                           const std::vector<std::string>& homes) {
    std::vector<std::string> out;
    for (const std::string& folder : folders) add_without(out, folder, homes);
    return out;
}

const std::vector<std::string>& shared_folders() {
    static const std::vector<std::string> kShared = {"/", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/run", "/proc"};
    return kShared;
}

std::vector<std::string> data_folders() {
    static constexpr std::string_view kSystem[] = {"bin",    "boot", "etc",        "lib", "lib32", "lib64",
                                                   "libx32", "nix",  "snap",       "opt", "sbin",  "sys",
                                                   "usr",    "var",  "lost+found", "run"};
    std::vector<std::string> folders = {"/var/tmp", "/run/lock"};
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/", ignored)) {
        if (std::ranges::find(kSystem, entry.path().filename().string()) == std::end(kSystem))
            folders.push_back(entry.path().string());
    }
    return folders;
}

}  // namespace gantry::gateway::sandbox
