#include "app/setup/secrets.hpp"

#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/config/config.hpp"
#include "app/setup/report.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

constexpr std::size_t kMaxBytes = 64u << 10;

struct Asked {
    std::string action;
    std::string name;
    std::string config;
    bool show = false;
    bool json = false;
};

/// Turns off terminal echo during its lifetime.
class NoEcho {
public:
    NoEcho() {
        if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        silent.c_lflag |= ECHONL;
        changed_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
    }
    ~NoEcho() {
        if (changed_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    }
    NoEcho(const NoEcho&) = delete;
    NoEcho& operator=(const NoEcho&) = delete;

private:
    termios before_ = {};
    bool changed_ = false;
};

Result<std::string> ask_for_secret(const std::string& name) {
    if (::isatty(STDIN_FILENO) == 0) return read_secret(std::cin);
    const NoEcho silence;  // before the prompt appears
    std::cerr << "Value of " << name << " (not shown): " << std::flush;
    std::string line;
    std::getline(std::cin, line);
    if (line.empty()) return fail(ErrorCode::kInvalidArgument, "nothing was entered; nothing is stored");
    return line;
}

Result<int> set(gateway::Vault& vault, const Asked& asked) {
    GANTRY_CHECK(gateway::check_secret_name(asked.name));
    GANTRY_TRY(const std::string secret, ask_for_secret(asked.name));
    GANTRY_TRY(const std::string_view where, vault.save(asked.name, secret));
    std::cout << asked.name << " is stored in the " << (where == "keyring" ? "keyring" : "encrypted file")
              << "; use it as ${" << asked.name << "}" << std::endl;
    return 0;
}

Result<int> get(gateway::Vault& vault, const Asked& asked) {
    GANTRY_TRY(const auto secret, vault.find(asked.name));
    if (!secret) return fail(ErrorCode::kInvalidArgument, "there is no secret " + asked.name);
    std::cout << (asked.show ? *secret : mask_of(*secret)) << std::endl;
    return 0;
}

Result<int> erase(gateway::Vault& vault, const Asked& asked) {
    GANTRY_TRY(const bool found, vault.erase(asked.name));
    if (!found) return fail(ErrorCode::kInvalidArgument, "there is no secret " + asked.name);
    std::cout << asked.name << " is deleted" << std::endl;
    return 0;
}

Result<int> list(gateway::Vault& vault, const Asked& asked) {
    GANTRY_TRY(const auto entries, vault.list());
    JsonArray rows;
    for (const auto& entry : entries) {
        rows.push_back(JsonObject{{"name", entry.name}, {"where", entry.where}});
        if (!asked.json) std::cout << entry.name << "  (" << entry.where << ")\n";
    }
    if (asked.json) std::cout << Json(std::move(rows)).pretty() << '\n';
    if (entries.empty() && !asked.json) std::cout << "none yet; gantry secrets set NAME\n";
    std::cout.flush();
    return 0;
}

Result<gateway::VaultOptions> vault_options(const Asked& asked) {
    if (asked.config.empty()) return gateway::VaultOptions();
    GANTRY_TRY(const Config config, load_config(asked.config));
    return config.secrets.vault;
}

int run(const Asked& asked) {
    auto options = vault_options(asked);
    if (!options) return report_file(options.error());
    gateway::Vault vault(*std::move(options));
    static constexpr std::pair<std::string_view, Result<int> (*)(gateway::Vault&, const Asked&)> kActions[] = {
        {"set", &set}, {"get", &get}, {"list", &list}, {"delete", &erase}};
    for (const auto& [name, action] : kActions) {
        if (name != asked.action) continue;
        const auto done = action(vault, asked);
        return done ? *done : report(done.error());
    }
    return static_cast<int>(cli::ExitCode::kUsage);
}

void describe(CLI::App& command, const std::shared_ptr<Asked>& asked) {
    command.add_option("-c,--config", asked->config, "Use the store this configuration names")->type_name("FILE");
    command.require_subcommand(1);
    const auto add = [&](const char* name, const char* what) {
        CLI::App* action = command.add_subcommand(name, what);
        action->callback([asked, name] { asked->action = name; });
        return action;
    };
    const auto named = [&](CLI::App* action) {
        action->add_option("name", asked->name, "What configurations call it: ${NAME}")->required()->type_name("NAME");
        return action;
    };
    named(add("set", "Store a secret, typed unseen or from a pipe; never from an argument"));
    named(add("get", "Say whether it is there; masked unless asked"))->add_flag("--show", asked->show, "Print it");
    add("list", "Names of all that are stored")->add_flag("--json", asked->json, "As JSON");
    named(add("delete", "Forget a secret"));
}

}  // namespace

Result<std::string> read_secret(std::istream& in) {
    std::string text(kMaxBytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxBytes) return fail(ErrorCode::kInvalidArgument, "a secret is at most 64 KB");
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.empty()) return fail(ErrorCode::kInvalidArgument, "nothing was given; nothing is stored");
    if (text.contains('\0')) return fail(ErrorCode::kInvalidArgument, "a secret has no null characters");
    return text;
}

std::string mask_of(std::string_view secret) {
    return "*** (" + std::to_string(secret.size()) + " characters; --show prints it)";
}

cli::ExtraCommand secrets_command() {
    const auto asked = std::make_shared<Asked>();
    return {.name = "secrets",
            .description = "Keep secrets for configurations: keyring, or an encrypted file",
            .example = "gantry secrets set GITHUB_TOKEN",
            .describe = [asked](CLI::App& command) { describe(command, asked); },
            .run = [asked] { return run(*asked); }};
}

}  // namespace gantry::app
