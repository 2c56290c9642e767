#include "gateway/sandbox/folders.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace gantry::gateway::sandbox {

std::vector<std::string> system_folders() {
    return {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/run/current-system",
            // Of /etc only what libraries look for: the linker, names, certificates, time, types.
            "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/ssl", "/etc/pki",
            "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies", "/etc/resolv.conf",
            "/etc/hosts", "/etc/host.conf", "/etc/hostname", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
            "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/localtime", "/etc/timezone", "/etc/os-release",
            "/etc/mime.types", "/etc/magic", "/etc/fonts", "/etc/terminfo", "/etc/python3", "/etc/npmrc",
            "/sys/devices/system/cpu"};
}

std::vector<std::string> secret_places(const std::string& home) {
    static constexpr std::string_view kInHome[] = {
        // Keys and the agents of keys.
        ".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".config/sops", ".config/age", ".config/op",
        ".config/1Password", ".vault-token",
        // Clouds and what runs in them.
        ".aws", ".azure", ".config/gcloud", ".oci", ".kube", ".docker", ".config/containers", ".terraform.d",
        ".config/doctl", ".fly", ".config/rclone", ".s3cfg", ".boto",
        // Models and the programs that talk to them.
        ".local/share/gantry", ".config/gantry", ".claude", ".claude.json", ".config/anthropic", ".codex",
        ".config/openai", ".gemini", ".config/github-copilot",
        // Code hosts and package registries.
        ".netrc", ".git-credentials", ".config/gh", ".config/hub", ".config/glab-cli", ".npmrc", ".pypirc",
        ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml",
        // Databases, histories, mail, browsers.
        ".pgpass", ".my.cnf", ".bash_history", ".zsh_history", ".psql_history", ".mysql_history", ".python_history",
        ".node_repl_history", ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium",
        ".config/BraveSoftware", ".config/microsoft-edge"};
    std::vector<std::string> places;
    if (!home.empty())
        for (const std::string_view name : kInHome) places.push_back(home + '/' + std::string(name));
    // The session bus answers for the keyring; an engine's socket is as good as root.
    places.emplace_back("/run/user");
    for (const std::string_view socket :
         {"/run/docker.sock", "/run/containerd", "/run/podman", "/run/crio", "/run/secrets", "/var/run/secrets",
          "/run/credentials", "/run/snapd.socket", "/run/libvirt", "/run/dbus", "/run/systemd/private", "/run/initctl",
          "/tmp/.X11-unix", "/tmp/.ICE-unix"})
        places.emplace_back(socket);
    for (const std::string_view file : {"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh"})
        places.emplace_back(file);
    return places;
}

std::vector<std::string> data_folders() {
    static constexpr std::string_view kSystem[] = {"bin",  "boot", "etc",  "lib", "lib32", "lib64", "libx32",    "nix",
                                                   "snap", "opt",  "sbin", "sys", "usr",   "var",   "lost+found"};
    std::vector<std::string> folders = {"/var/tmp"};
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/", ignored)) {
        if (std::ranges::find(kSystem, entry.path().filename().string()) == std::end(kSystem))
            folders.push_back(entry.path().string());
    }
    return folders;
}

}  // namespace gantry::gateway::sandbox
