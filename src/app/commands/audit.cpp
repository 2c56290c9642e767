#include "app/commands/audit.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/gateway/event_line.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/events/cloud_event.hpp"
#include "gateway/events/database.hpp"
#include "gateway/events/entry_row.hpp"
#include "gateway/events/journal.hpp"
#include "gateway/events/verify.hpp"
#include "gateway/state/state_folder.hpp"
#include "surface/cli/exit_code.hpp"

namespace gantry::app {
namespace {

using namespace gateway::events;

struct AuditArgs {
    std::string what;
    std::string state_dir;
    std::string expect;
    std::string type;
    std::int64_t last = 20;
    bool json = false;
    std::string format = "auto";

    bool as_table() const {
        if (json || format == "json") return false;
        return format == "table" || ::isatty(STDOUT_FILENO) == 1;
    }
};

int report(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    return static_cast<int>(cli::exit_code_for(error.code()));
}

Result<std::filesystem::path> folder_of(const AuditArgs& args) {
    if (args.state_dir.empty()) return gateway::default_state_folder();
    return std::filesystem::path(args.state_dir);
}

Result<Verdict> look(const AuditArgs& args) {
    std::optional<ChainLink> expected;
    if (!args.expect.empty()) {
        expected = link_from(args.expect);
        if (!expected) return fail(ErrorCode::kInvalidArgument, "--expect takes what verify printed: NUMBER:HASH");
    }
    GANTRY_TRY(const std::filesystem::path folder, folder_of(args));
    return verify_journal(folder, expected);
}

void print_json(const Verdict& verdict) {
    JsonArray faults;
    for (const std::string& fault : verdict.faults) faults.emplace_back(fault);
    const Json out = JsonObject{{"ok", verdict.faults.empty()},
                                {"entries", verdict.entries},
                                {"start", to_text(verdict.start)},
                                {"head", to_text(verdict.head)},
                                {"faults", std::move(faults)}};
    std::cout << out.dump() << std::endl;
}

int verify(const AuditArgs& args) {
    const auto verdict = look(args);
    if (!verdict) return report(verdict.error());
    if (args.json) {
        print_json(*verdict);
    } else {
        for (const std::string& fault : verdict->faults) std::cout << "fault: " << fault << "\n";
        std::cout << verdict->entries << " entries, "
                  << (verdict->faults.empty() ? "verified: none missing, none changed\n"
                                              : "CHANGED since they were written\n")
                  << "the last one is " << to_text(verdict->head)
                  << "\nKept elsewhere, it proves later that nothing before it was changed: --expect" << std::endl;
    }
    return verdict->faults.empty() ? 0 : 1;
}

/// The latest entries, oldest first, as events.
Result<void> show_entries(const AuditArgs& args) {
    GANTRY_TRY(const std::filesystem::path folder, folder_of(args));
    GANTRY_TRY(Database database, Database::open(journal_file(folder), seconds(5), false));
    GANTRY_TRY(Statement query,
               database.prepare("SELECT * FROM (SELECT seq, at, id, type, subject, correlation, data FROM events "
                                "WHERE type LIKE ? ORDER BY seq DESC LIMIT ?) ORDER BY seq"));
    const std::string pattern = "%" + args.type + "%";
    query.bind(1, std::string_view(pattern)).bind(2, args.last);
    const bool as_table = args.as_table();
    if (as_table) std::cout << event_titles() << "\n";
    for (std::size_t shown = 0;; ++shown) {
        GANTRY_TRY(const bool row, query.step());
        if (!row && shown == 0 && !args.type.empty() && !is_part_of_type(args.type)) {
            return fail(ErrorCode::kInvalidArgument,
                        "no type of event contains '" + args.type + "'; there are: " + known_event_types());
        }
        if (!row) return {};
        std::string line;
        append_cloud_event(entry_in(query), line);
        std::cout << (as_table ? event_line(line) : line) << "\n";
    }
}

int show(const AuditArgs& args) {
    const auto shown = show_entries(args);
    std::cout.flush();
    return shown ? 0 : report(shown.error());
}

}  // namespace

std::vector<cli::ExtraCommand> audit_commands() {
    const auto args = std::make_shared<AuditArgs>();
    return {{.name = "audit",
             .description = "Verify or show the audit log",
             .example = "gantry audit verify",
             .describe =
                 [args](CLI::App& command) {
                     command.add_option("what", args->what, "verify: check the whole chain; show: the last entries")
                         ->required()
                         ->check(CLI::IsMember({"verify", "show"}).description(""))
                         ->type_name("WHAT");
                     command.add_option("--state-dir", args->state_dir, "Where the gateway keeps its state")
                         ->type_name("DIR");
                     command.add_option("--expect", args->expect, "verify: an entry that the chain must contain")
                         ->type_name("NUMBER:HASH");
                     command.add_option("--last", args->last, "show: number of entries; default 20")->type_name("N");
                     command.add_option("--type", args->type, "show: only event types that contain this")
                         ->type_name("TEXT");
                     command
                         .add_option("--format", args->format,
                                     "show: table, json, or auto (default): a table on a terminal, else JSON lines")
                         ->check(CLI::IsMember({"auto", "table", "json"}).description(""))
                         ->type_name("FORMAT");
                     command.add_flag("--json", args->json, "verify: the verdict as JSON; show: JSON lines");
                 },
             .run = [args] { return args->what == "verify" ? verify(*args) : show(*args); },
             .group = "Operate a running gateway"}};
}

}  // namespace gantry::app
