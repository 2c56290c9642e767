#include "app/setup/doctor.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/gateway/make_sandbox.hpp"
#include "auth/store/backend.hpp"
#include "base/version.hpp"
#include "gateway/policy/glob.hpp"
#include "gateway/sandbox/kernel.hpp"
#include "gateway/secrets/resolver.hpp"
#include "gateway/sources/mcp/source.hpp"
#include "gateway/sources/mcp/start_limiter.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/client/era_cache.hpp"
#include "surface/cli/print.hpp"

namespace gantry::app {
namespace {

using gateway::ItemKind;
using gateway::McpSource;
using gateway::SourceState;

/// Patterns that match nothing are usually typing mistakes.
void look_at_patterns(const gateway::McpServerSpec& server, const gateway::Inventory& inventory, Finding& finding) {
    for (const auto& [key, patterns] : {std::pair("allow", &server.allow), std::pair("deny", &server.deny)}) {
        for (const std::string& pattern : *patterns) {
            const bool fits = std::ranges::any_of(inventory.items, [&](const gateway::ItemPtr& item) {
                return gateway::glob_match(pattern, item->name);
            });
            if (!fits)
                finding.notes.push_back(std::string(key) + ": " + pattern + " matches nothing that the server offers");
        }
    }
}

void take_inventory(const gateway::McpServerSpec& server, const McpSource& source, Finding& finding) {
    const auto inventory = source.inventory();
    for (const auto& item : inventory->items) {
        if (item->kind == ItemKind::kTool) ++finding.tools;
        if (item->kind == ItemKind::kPrompt) ++finding.prompts;
        if (item->kind == ItemKind::kResource || item->kind == ItemKind::kTemplate) ++finding.resources;
    }
    finding.healthy = true;
    finding.notes.insert(finding.notes.end(), source.problems().begin(), source.problems().end());
    if (inventory->items.empty()) finding.notes.emplace_back("it offers nothing: no tools, prompts or resources");
    look_at_patterns(server, *inventory, finding);
}

/// A source with an event that its changes trigger.
struct Patient {
    std::shared_ptr<McpSource> source;
    Event changed;
};

Task<void> examine_one(Context ctx, Loop& loop, const gateway::McpServerSpec& server, gateway::McpSourceOptions options,
                       Redactor& redactor, Finding& finding, const std::function<void(const Finding&)>& on_finding) {
    const TimePoint began = SteadyClock::now();
    Patient patient{.source = std::make_shared<McpSource>(loop, server, std::move(options)), .changed = {}};
    patient.source->watch([&patient](const gateway::SourceChange&) { patient.changed.pulse(); });
    patient.source->start();
    while (patient.source->state() == SourceState::kStarting) {
        if (!co_await patient.changed.wait(ctx)) break;
    }
    finding.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - began).count();
    if (patient.source->state() == SourceState::kReady) {
        take_inventory(server, *patient.source, finding);
    } else {
        const bool late = patient.source->state() == SourceState::kStarting;
        finding.problem = late ? "it did not answer in time" : patient.source->trouble();
        finding.advice = redactor.masked(advice_for(server, finding.problem));
    }
    co_await patient.source->stop();
    finding.problem = redactor.masked(std::move(finding.problem));
    for (std::string& note : finding.notes) note = redactor.masked(std::move(note));
    if (on_finding) on_finding(finding);
}

/// The folder in which the gateway would keep its state, and so the homes of isolated servers.
Result<std::filesystem::path> state_folder(const Config& config) {
    if (config.state_dir.empty()) return auth::default_store_folder();
    return std::filesystem::path(config.state_dir);
}

/// The isolation features of this kernel.
Json kernel_json() {
    JsonArray offers;
    for (const auto& offer : gateway::sandbox::capabilities()) {
        offers.push_back(JsonObject{{"name", offer.name}, {"available", offer.available}, {"why", offer.why}});
    }
    return offers;
}

void print_kernel() {
    std::cout << "isolation on this kernel:\n";
    for (const auto& offer : gateway::sandbox::capabilities()) {
        std::cout << (offer.available ? "  has   " : "  lacks ") << offer.name;
        if (!offer.why.empty()) std::cout << ": " << offer.why;
        std::cout << '\n';
    }
}

Json to_json(const Finding& finding) {
    JsonObject json{{"name", finding.server},
                    {"healthy", finding.healthy},
                    {"tools", finding.tools},
                    {"prompts", finding.prompts},
                    {"resources", finding.resources},
                    {"milliseconds", finding.milliseconds},
                    {"notes", JsonArray(finding.notes.begin(), finding.notes.end())}};
    if (!finding.healthy) {
        json.set("problem", finding.problem);
        json.set("advice", finding.advice);
    }
    return json;
}

void print(const Finding& finding) {
    if (finding.healthy) {
        std::cout << "ok    " << finding.server << ": " << cli::counted(finding.tools, "tool") << ", "
                  << cli::counted(finding.prompts, "prompt") << ", " << cli::counted(finding.resources, "resource")
                  << ", " << finding.milliseconds << " ms\n";
    } else {
        std::cout << "FAIL  " << finding.server << ": " << finding.problem << "\n      -> " << finding.advice << '\n';
    }
    for (const std::string& note : finding.notes) std::cout << "      note: " << note << '\n';
    std::cout.flush();
}

void print_total(const std::vector<Finding>& findings, const std::string& file) {
    if (findings.empty()) {
        std::cout << file << " has no servers\n";
        return;
    }
    const auto good = static_cast<std::size_t>(std::ranges::count_if(findings, &Finding::healthy));
    std::cout << cli::counted(findings.size(), "server") << ": " << good << " ok, " << findings.size() - good
              << " failed\n";
}

}  // namespace

Task<std::vector<Finding>> examine(const Context& ctx, Loop& loop, const Config& config, Duration timeout,
                                   Redactor& redactor, std::function<void(const Finding&)> on_finding) {
    std::vector<Finding> findings;
    for (const auto& server : config.servers) findings.push_back({.server = server.name});
    gateway::McpSourceOptions options{.self = {.name = "gantry", .version = std::string(kVersion)},
                                      .connect_timeout = timeout,
                                      .starts = std::make_shared<gateway::StartLimiter>(),
                                      .eras = std::make_shared<mcp::EraCache>(),
                                      .secrets = std::make_shared<gateway::ChainResolver>(config.secrets, redactor)};
    options.sandbox =
        make_sandbox(places_of(config, state_folder(config).value_or(std::filesystem::temp_directory_path())), {},
                     [&findings](const std::string& server, const std::string& what) {
                         const auto found = std::ranges::find(findings, server, &Finding::server);
                         if (found != findings.end()) found->notes.push_back(what);
                     });
    Scope scope(ctx);
    for (std::size_t i = 0; i < findings.size(); ++i) {
        scope.spawn(examine_one(scope.context().within(timeout), loop, config.servers[i], options, redactor,
                                findings[i], on_finding));
    }
    co_await scope.join();
    co_return findings;
}

int doctor(const DoctorRequest& asked) {
    Redactor redactor;
    const auto config = load_config(asked.file, &redactor);
    if (!config) return report_file(config.error());
    if (const auto folder = state_folder(*config); !folder) return report(folder.error());
    std::function<void(const Finding&)> on_finding;
    if (!asked.json) {
        for (const std::string& warning : config->warnings) std::cout << "note: " << warning << '\n';
        std::cout.flush();
        on_finding = &print;
    }
    Loop loop;
    const auto findings =
        loop.run_until_done(examine(Context::background(), loop, *config, asked.timeout, redactor, on_finding));
    const bool healthy = std::ranges::all_of(findings, &Finding::healthy);
    if (asked.json) {
        JsonArray servers;
        for (const Finding& finding : findings) servers.push_back(to_json(finding));
        std::cout << Json(JsonObject{{"file", asked.file},
                                     {"healthy", healthy},
                                     {"warnings", JsonArray(config->warnings.begin(), config->warnings.end())},
                                     {"servers", std::move(servers)},
                                     {"kernel", kernel_json()}})
                         .pretty()
                  << std::endl;
    } else {
        print_total(findings, asked.file);
        print_kernel();
        std::cout.flush();
    }
    return static_cast<int>(healthy ? cli::ExitCode::kDone : cli::ExitCode::kConnection);
}

}  // namespace gantry::app
