#pragma once
// For tests: a source with scripted answers, a line that answers questions, and the pipeline between them.

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json/scan.hpp"
#include "base/schema/schema.hpp"
#include "gateway/catalog/catalog.hpp"
#include "gateway/catalog/name_book.hpp"
#include "gateway/catalog/plan.hpp"
#include "gateway/pipeline/local_trust.hpp"
#include "gateway/pipeline/pipeline.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/runtime/snapshot.hpp"
#include "io/sync.hpp"

namespace gantry::gateway {

/// Offers the tools it is constructed with; each call goes to `on_call`.
class FakeSource final : public Source {
public:
    FakeSource(std::string name, std::vector<std::string> definitions) : name_(std::move(name)) {
        auto inventory = std::make_shared<Inventory>();
        inventory->capabilities.tools = mcp::ListChangedCapability{};
        inventory->capabilities.extensions.set(std::string(mcp::kTasksExtension), JsonObject{});
        for (std::string& text : definitions) {
            const Json json = *Json::parse(text);
            Item item{.kind = ItemKind::kTool, .name = std::string(json.string_at("name")), .text = text};
            if (const Json* schema = json.find("inputSchema")) {
                item.input_schema = std::make_shared<const schema::Schema>(*schema::Schema::compile(*schema));
                item.header_params = *mcp::header_params(*schema);
            }
            inventory->items.push_back(std::make_shared<const Item>(std::move(item)));
        }
        inventory_ = std::move(inventory);
    }

    const std::string& name() const noexcept override { return name_; }
    SourceState state() const noexcept override { return standing; }
    std::string trouble() const override { return {}; }
    void start() override {}
    Task<void> stop() override { co_return; }
    InventoryPtr inventory() const override { return inventory_; }
    Task<Result<Output>> execute(const Context& ctx, const AdmittedCall& call, ReplyLine&) override {
        calls.push_back({.own_name = std::string(call.own_name()),
                         .params = std::string(call.incoming().params),
                         .principal = call.principal().id,
                         .resume = call.resume_state()});
        if (hold) {
            ++held;
            auto let_go = co_await released.wait(ctx);
            --held;
            if (!let_go) co_return fail(let_go.error());
        }
        co_return on_call(call);
    }
    Task<std::set<std::string>> follow(const Context&, std::set<std::string> uris) override { co_return uris; }
    void client_gone(const std::string&) override {}
    void watch(std::function<void(const SourceChange&)>) override {}

    struct Seen {
        std::string own_name;
        std::string params;
        std::string principal;
        std::optional<std::string> resume;
    };
    std::vector<Seen> calls;
    SourceState standing = SourceState::kReady;
    /// Calls block until `released` is set.
    bool hold = false;
    std::size_t held = 0;
    Event released;
    std::function<Result<Output>(const AdmittedCall&)> on_call = [](const AdmittedCall&) {
        return Result<Output>(make_output(R"({"content":[]})", mcp::kLatestRevision));
    };

private:
    std::string name_;
    InventoryPtr inventory_;
};

/// Answers questions from a table by method; a method without an answer fails.
class FakeLine final : public ReplyLine {
public:
    bool wants_progress() const noexcept override { return progress_wanted; }
    void progress(std::string_view params) override { progresses.emplace_back(params); }
    std::optional<mcp::LogLevel> log_level() const noexcept override { return std::nullopt; }
    void log(std::string_view) override {}
    bool can_ask() const noexcept override { return askable; }
    Task<Result<std::string>> ask(const Context&, std::string_view method, std::string params) override {
        asked.emplace_back(method, std::move(params));
        const auto found = answers.find(std::string(method));
        if (found == answers.end())
            co_return fail(Error(ErrorCode::kRpc, "refused").rpc({.code = -32603, .message = "refused"}));
        co_return Result<std::string>(found->second);
    }

    bool askable = false;
    bool progress_wanted = false;
    std::vector<std::string> progresses;
    std::map<std::string, std::string> answers;
    std::vector<std::pair<std::string, std::string>> asked;
};

class FakeRecorder final : public Recorder {
public:
    Ticket record(const Outcome& outcome) noexcept override {
        records.push_back({std::string(outcome.name), std::string(outcome.source), std::string(outcome.principal),
                           outcome.error == nullptr ? std::optional<ErrorCode>() : outcome.error->code()});
        last = outcome;
        return ticket;
    }
    Task<Result<void>> kept(const Context&, Ticket asked) override {
        waited_for.push_back(asked);
        co_return withheld ? Result<void>(fail(*withheld)) : Result<void>();
    }
    const Error* refusal() const noexcept override { return refused ? &*refused : nullptr; }

    struct Kept {
        std::string name, source, principal;
        std::optional<ErrorCode> error;
    };
    std::vector<Kept> records;
    Outcome last;  // its views may dangle
    Ticket ticket = 0;
    std::vector<Ticket> waited_for;
    std::optional<Error> withheld;
    std::optional<Error> refused;
};

class FakePolicy final : public Policy {
public:
    bool allows(const Principal&, std::string_view, const Item* item, std::string_view, Verb) const override {
        return item == nullptr || item->name != forbidden;
    }
    std::string forbidden;
};

struct RigOptions {
    GuardLimits guard = {};
    InputLimits input = {};
    Seals::Lifetimes lifetimes = {};
};

/// A catalog that offers nothing.
inline CatalogPtr empty_catalog(NameBook& names) {
    return Catalog::build(std::make_shared<const CatalogPlan>(std::vector<PlannedSource>(), std::vector<GroupSpec>(),
                                                              CatalogRules{.self = {.name = "gantry"}}),
                          {}, names);
}

/// A pipeline with one source behind it.
class PipelineRig {
public:
    explicit PipelineRig(std::vector<std::string> definitions, RigOptions options = {}, GateOptions limits = {},
                         Approver* approver = nullptr)
        : gates(std::move(limits)),
          source(std::make_shared<FakeSource>("shop", std::move(definitions))),
          settings{.policy = policy, .limits = options.guard},
          catalog(Catalog::build(std::make_shared<const CatalogPlan>(
                                     std::vector<PlannedSource>{{.name = "shop"}}, std::vector<GroupSpec>(),
                                     CatalogRules{.self = {.name = "gantry", .version = "0"}}),
                                 {source->inventory()}, names_)),
          pipeline(
              {.authenticator = trust_, .sealer = sealer_, .recorder = recorder, .gates = &gates, .approver = approver},
              {.input = options.input, .lifetimes = options.lifetimes}) {
        apply();
    }

    /// Puts a change of `settings` or `catalog` in force for calls from now on.
    void apply() {
        snapshot =
            make_snapshot(catalog, std::make_shared<const SourceSet>(std::vector<std::shared_ptr<Source>>{source}),
                          std::make_shared<const CallSettings>(settings));
    }

    /// `message` is {"params":…}; it must outlive the call.
    Task<Result<Output>> call(const std::string& message, std::string name, std::string who = "local") {
        const auto view = json::scan_envelope(message);
        const SnapshotPtr held = snapshot;
        co_return co_await pipeline.run(Context::background(),
                                        {.verb = Verb::kCallTool,
                                         .name = name,
                                         .params = view->params.raw(),
                                         .view = view->in_params,
                                         .client = traits,
                                         .snapshot = *held,
                                         .headers = headers ? &headers : nullptr,
                                         .correlation_id = "c1"},
                                        std::make_shared<const Principal>(Principal{.id = who}), line);
    }

    Gates gates;
    std::shared_ptr<FakeSource> source;
    std::shared_ptr<FakePolicy> policy = std::make_shared<FakePolicy>();
    CallSettings settings;
    SnapshotPtr snapshot;
    FakeRecorder recorder;
    FakeLine line;
    ClientTraits traits;
    mcp::HeaderLookup headers;

private:
    NameBook names_;
    LocalTrust trust_;
    auth::Sealer sealer_ = *auth::Sealer::ephemeral();

public:
    CatalogPtr catalog;
    Pipeline pipeline;
};

}  // namespace gantry::gateway
