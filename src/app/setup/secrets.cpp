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

struct Args {
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
    if (line.empty()) return fail(ErrorCode::kInvalidArgument, "no value entered; nothing stored");
    return line;
}

Result<int> set(gateway::Vault& vault, const Args& args) {
    GANTRY_CHECK(gateway::check_secret_name(args.name));
    GANTRY_TRY(const std::string secret, ask_for_secret(args.name));
    GANTRY_TRY(const std::string_view where, vault.save(args.name, secret));
    std::cout << args.name << " is stored in the " << (where == "keyring" ? "keyring" : "encrypted file")
              << "; use it as ${" << args.name << "}" << std::endl;
    return 0;
}

Result<int> get(gateway::Vault& vault, const Args& args) {
    GANTRY_TRY(const auto secret, vault.find(args.name));
    if (!secret) return fail(ErrorCode::kInvalidArgument, "there is no secret " + args.name);
    std::cout << (args.show ? *secret : mask_of(*secret)) << std::endl;
    return 0;
}

Result<int> erase(gateway::Vault& vault, const Args& args) {
    GANTRY_TRY(const bool found, vault.erase(args.name));
    if (!found) return fail(ErrorCode::kInvalidArgument, "there is no secret " + args.name);
    std::cout << args.name << " is deleted" << std::endl;
    return 0;
}

Result<int> list(gateway::Vault& vault, const Args& args) {
    GANTRY_TRY(const auto entries, vault.list());
    JsonArray rows;
    for (const auto& entry : entries) {
        rows.push_back(JsonObject{{"name", entry.name}, {"where", entry.where}});
        if (!args.json) std::cout << entry.name << "  (" << entry.where << ")\n";
    }
    if (args.json) std::cout << Json(std::move(rows)).pretty() << '\n';
    if (entries.empty() && !args.json) std::cout << "none yet; gantry secrets set NAME\n";
    std::cout.flush();
    return 0;
}

Result<gateway::VaultOptions> vault_options(const Args& args) {
    if (args.config.empty()) return gateway::VaultOptions();
    GANTRY_TRY(const Config config, load_config(args.config));
    return config.secrets.vault;
}

int run(const Args& args) {
    auto options = vault_options(args);
    if (!options) return report_file(options.error());
    gateway::Vault vault(*std::move(options));
    static constexpr std::pair<std::string_view, Result<int> (*)(gateway::Vault&, const Args&)> kActions[] = {
        {"set", &set}, {"get", &get}, {"list", &list}, {"delete", &erase}};
    for (const auto& [name, action] : kActions) {
        if (name != args.action) continue;
        const auto done = action(vault, args);
        return done ? *done : report(done.error());
    }
    return static_cast<int>(cli::ExitCode::kUsage);
}

void describe(CLI::App& command, const std::shared_ptr<Args>& args) {
    command.add_option("-c,--config", args->config, "Use the store this configuration names")->type_name("FILE");
    command.require_subcommand(1);
    const auto add = [&](const char* name, const char* what) {
        CLI::App* action = command.add_subcommand(name, what);
        action->callback([args, name] { args->action = name; });
        return action;
    };
    const auto named = [&](CLI::App* action) {
        action->add_option("name", args->name, "Name used in configurations: ${NAME}")->required()->type_name("NAME");
        return action;
    };
    named(add("set", "Store a secret, from a hidden prompt or a pipe; never from an argument"));
    named(add("get", "Show whether a secret exists; masked unless asked"))->add_flag("--show", args->show, "Print it");
    add("list", "List the names of stored secrets")->add_flag("--json", args->json, "As JSON");
    named(add("delete", "Delete a secret"));
}

}  // namespace

Result<std::string> read_secret(std::istream& in) {
    std::string text(kMaxBytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxBytes) return fail(ErrorCode::kInvalidArgument, "a secret is at most 64 KB");
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.empty()) return fail(ErrorCode::kInvalidArgument, "no value given; nothing stored");
    if (text.contains('\0')) return fail(ErrorCode::kInvalidArgument, "a secret has no null characters");
    return text;
}

std::string mask_of(std::string_view secret) {
    return "*** (" + std::to_string(secret.size()) + " characters; --show prints it)";
}

cli::ExtraCommand secrets_command() {
    const auto args = std::make_shared<Args>();
    return {.name = "secrets",
            .description = "Manage secrets for configurations: keyring, or an encrypted file",
            .example = "gantry secrets set GITHUB_TOKEN",
            .describe = [args](CLI::App& command) { describe(command, args); },
            .run = [args] { return run(*args); }};
}

}  // namespace gantry::app
