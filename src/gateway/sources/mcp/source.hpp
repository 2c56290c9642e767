#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "gateway/model/source_spec.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/sources/mcp/forwarded_capabilities.hpp"
#include "gateway/sources/mcp/inventory.hpp"
#include "gateway/sources/mcp/lanes.hpp"
#include "gateway/sources/mcp/options.hpp"
#include "gateway/sources/mcp/parked_calls.hpp"
#include "gateway/sources/mcp/upstream.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::gateway {

class LegacyTasks;

/// One MCP server of either era as a source.
///
/// A shared connection lists what the server offers and serves all calls it may serve; other calls get connections of
/// their own (see Sharing). The source reconnects without limit: while a server is down only its own items are missing,
/// and it recovers by itself. A lazy server is disconnected while unused, and its last known items stay listed until it
/// is called again.
class McpSource final : public Source, public std::enable_shared_from_this<McpSource> {
public:
    McpSource(Loop& loop, McpServerSpec spec, McpSourceOptions options = {});
    ~McpSource() override;

    const std::string& name() const noexcept override { return spec_.name; }
    SourceState state() const noexcept override { return state_; }
    bool connected() const noexcept override;
    SourceHealth health() const noexcept override { return health_; }
    std::optional<TimePoint> connected_since() const noexcept override;
    std::string trouble() const override { return trouble_; }

    void start() override;
    Task<void> stop() override;
    bool busy() const noexcept override;
    void retry_now() override;
    Task<Result<void>> refresh(const Context& ctx) override;

    InventoryPtr inventory() const override { return inventory_; }
    InventoryPtr inventory_for(const Audience& audience) override;
    bool varies() const noexcept override { return varies_; }
    bool is_surveyed(const Audience& audience) override;
    Task<void> survey(const Context& ctx, const Audience& audience) override;
    Task<Result<Output>> execute(const Context& ctx, const AdmittedCall& call, ReplyLine& line) override;
    Task<std::set<std::string>> follow(const Context& ctx, std::set<std::string> uris) override;
    Task<std::set<std::string>> follow_tasks(const Context& ctx, std::set<std::string> ids) override;
    void roots_changed(const Principal& principal, const ClientTraits& client) override;
    void client_gone(const std::string& session) override;
    void watch(std::function<void(const SourceChange&)> tell) override { tell_ = std::move(tell); }

    /// For subsequent calls; needs no new connection.
    void set_retry(const RetryOptions& retry) noexcept { spec_.limits.retry = retry; }

    /// Entries of the server's lists that were unusable at the last listing, as readable text.
    const std::vector<std::string>& problems() const noexcept { return problems_; }
    /// Connections besides the shared one; for tests and diagnostics.
    std::size_t lanes() const noexcept { return lanes_->open(); }
    std::size_t parked() const noexcept { return parked_->size(); }

private:
    /// Where a call runs, and whether the server may ask the client on that connection.
    struct Placement {
        Lease lease;
        bool may_ask = false;
    };

    /// Keeps a lazy server from idling out during a call, also before the call has a connection.
    class InUse {
    public:
        explicit InUse(McpSource& source) noexcept : source_(source) { ++source_.calls_; }
        InUse(const InUse&) = delete;
        InUse& operator=(const InUse&) = delete;
        ~InUse() {
            --source_.calls_;
            source_.may_idle_now_ = false;
            if (source_.spec_.connect == Connect::kLazy) source_.used_ = coarse_now();
        }

    private:
        McpSource& source_;
    };

    /// What the server offers clients that declare one set of capabilities, where it differs from what it offers to
    /// all.
    struct Variant {
        InventoryPtr inventory;  // null: no difference
        bool known = false;
        bool stale = false;  // to be read again for the next client that lists
        bool reading = false;
        TimePoint retry_at = {};  // after a failure
    };

    // Lifecycle (source.cpp).
    Result<std::unique_ptr<mcp::Client>> make_lane_client(const mcp::ClientCapabilities& declare,
                                                          std::function<void(Kinds)> announced);
    Task<void> run();
    Result<void> make_shared();
    Task<bool> connect_first();
    /// Re-reads lists on change; returns true when the server may idle, false when the source stops.
    Task<bool> stay_up();
    bool unused() const noexcept;
    Task<bool> sleep();
    Task<bool> wait_until_needed();
    void wake();
    Task<void> wait_out(std::uint64_t outage);
    /// A call could not reach the server: probes whether it is gone. Over HTTP nothing else would notice, because no
    /// connection stays open between calls.
    void suspect();
    Task<void> probe();
    void on_client_state(mcp::ConnectionState state);
    void set_state(SourceState state, std::string trouble);
    void tell(SourceChange change) const;
    void problem(const Error& why);
    /// A readable reason why the first connection failed.
    std::string no_connection(const Error& why) const;
    Task<Result<void>> ready(const Context& ctx);
    Task<void> follow_wanted(const Context& ctx, std::set<std::string>& honoured);

    // Lists (source_lists.cpp).
    Task<void> list_again();
    void publish(InventoryPtr inventory);
    /// Restores the persisted inventory of an earlier run. Returns true if there was one, which is then offered.
    bool recall();
    void remember();
    /// For the operator of a ready server: the lists that could not be read.
    std::string list_trouble() const;

    // Lists per audience (source_audiences.cpp).
    /// Its lanes; empty: the shared connection serves it, or a lane that declares nothing.
    std::optional<LaneKey> lane_of(const Audience& audience, ForwardedCapabilitiesPtr& forwarded);
    Task<void> read_variant(LaneKey key, ForwardedCapabilitiesPtr forwarded);
    Task<Result<InventoryPtr>> read_lane(const Context& ctx, mcp::Client& client, const LaneKey& key,
                                         InventoryPtr before, Kinds kinds);
    /// What clients of that key are offered until their lane reports lists of its own.
    InventoryPtr offered_to(const LaneKey& key) const;
    void lane_lists_changed(const LaneKey& key, Kinds announced);
    void forget_variants();
    void note_variation();
    /// Records that the server does not open legacy sessions, or none in which it could ask questions.
    void note_modern_only();
    Result<void> check_lane(Link& link) const;

    // Credentials (credentials.cpp).
    /// Our credentials were refused; `seen` is what credentials_ was when they were used. True: there are others now,
    /// and the next connection has them.
    Task<bool> renew_credentials(const Context& ctx, std::uint64_t seen);

    // Calls (execute.cpp). Small steps are plain functions that return another function's task: most calls need only
    // one coroutine here.
    Task<Result<Output>> attempt(const Context& ctx, const AdmittedCall& call, ReplyLine& line);
    bool is_modern() const noexcept { return shared_ ? shared_->modern() : inventory_->modern; }
    /// Returns whether the server may ask this client questions, over a connection that declares the client's
    /// capabilities.
    bool asks(const ClientTraits& client, const ForwardedCapabilities& forwarded) const noexcept;
    bool may_share(bool asks) const noexcept;
    Task<Result<Output>> run_at(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                ForwardedCapabilitiesPtr forwarded, Placement placement);
    Task<Result<Output>> run_on_lane(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                     ForwardedCapabilitiesPtr forwarded);
    Task<Result<Output>> not_visited(Verb verb);
    bool asks(const AdmittedCall& call, const ForwardedCapabilities& forwarded) const noexcept;
    /// The call's item if only some of the caller's lanes may offer it; null if all of them do.
    ItemPtr bound_item(const AdmittedCall& call, const LaneKey& key) const;
    LaneUse lane_use(bool asks) const noexcept;
    LaneKey lane_key(const Principal& principal, const ClientTraits& client, const ForwardedCapabilities& forwarded,
                     bool asks) const;
    /// Returns a placement without a lease where a lane has to be awaited.
    Placement placement_now(const AdmittedCall& call, const ForwardedCapabilities& forwarded);
    Task<Result<Placement>> placement(const Context& ctx, const AdmittedCall& call,
                                      const ForwardedCapabilities& forwarded);
    Task<Result<Output>> run_modern(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                    ForwardedCapabilitiesPtr forwarded, Placement placement);
    Task<Result<Output>> run_legacy(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                    ForwardedCapabilitiesPtr forwarded, Placement placement);
    /// One exchange with the client about a call that may ask: returns its answer, or its questions with the call
    /// parked.
    Task<Result<Output>> run_kept(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                  ForwardedCapabilitiesPtr forwarded, std::shared_ptr<SuspendableCall> kept);
    Task<Result<Output>> resume_parked(const Context& ctx, const AdmittedCall& call, ReplyLine& line);

    // Tasks of modern servers (modern_tasks.cpp).
    Task<Result<Output>> modern_task(const Context& ctx, const AdmittedCall& call, ReplyLine& line);
    /// Follows the task to its end for a client without task support.
    Task<Result<Output>> finish_modern_task(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                            ForwardedCapabilitiesPtr forwarded, Placement placement,
                                            std::string task_id);
    Task<Result<void>> answer_task(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                   const ForwardedCapabilities& forwarded, Link& link, const Json& task,
                                   std::set<std::string>& answered);
    /// `correlation_id`: of the call that this is done for; empty: for none.
    Task<Result<Json>> ask_about_task(const Context& ctx, Link& link, const ForwardedCapabilities& forwarded,
                                      std::string_view method, std::string params,
                                      std::string_view correlation_id = {});
    /// Polls the followed tasks, which may have progressed without a notification.
    Task<void> look_at_tasks();
    void tell_task(Json task, const std::string& own_id);
    mcp::CallTimes times() const noexcept { return {.idle = spec_.timeout, .total = spec_.total_timeout}; }

    McpServerSpec spec_;
    McpSourceOptions options_;
    Upstream upstream_;
    LinkPtr shared_;
    std::shared_ptr<Lanes> lanes_;
    std::unique_ptr<ParkedCalls> parked_;
    std::unique_ptr<LegacyTasks> tasks_;
    ForwardedCapabilitiesMemo memo_;

    SourceState state_ = SourceState::kIdle;
    SourceHealth health_ = SourceHealth::kNotInitialized;
    TimePoint connected_at_ = {};
    std::string trouble_;
    InventoryPtr inventory_;
    std::vector<std::string> problems_;
    std::array<std::string, kItemKinds> list_trouble_;  // why a list is missing or truncated, by kind
    std::function<void(const SourceChange&)> tell_;
    std::map<std::string, Variant> variants_;  // by ForwardedCapabilities::offered_text
    bool varies_ = false;
    bool modern_only_ = false;  // learned from an attempt at a legacy connection

    Kinds stale_;                     // lists to fetch
    Kinds announced_;                 // those that the server announced as changed
    Duration next_pause_ = {};        // delay before the next listing on this connection
    bool list_now_ = false;           // skip that delay
    std::uint64_t listed_ = 0;        // listings on this connection
    std::uint64_t listings_ = 0;      // listings begun in total
    std::uint64_t newest_ = 0;        // number of the latest finished listing
    std::uint64_t failures_ = 0;      // failed attempts to connect
    std::uint64_t outages_ = 0;       // number of the current outage
    std::set<std::string> wanted_;    // resource URIs to follow
    std::set<std::string> followed_;  // survive reconnects inside the client
    AsyncMutex following_;
    std::set<std::string> followed_tasks_;  // ids as the server knows them
    Event changed_;                         // state, stale lists, a new inventory
    Event hurry_;                           // wakes the reconnect loop for an immediate attempt
    TimePoint used_ = {};                   // last use, recorded where it matters
    bool probing_ = false;                  // a probe() is in flight
    bool closing_shared_ = false;           // the shared connection is being closed
    bool may_idle_now_ = false;             // may idle before its timeout
    std::size_t calls_ = 0;                 // calls in execute()
    std::uint64_t credentials_ = 0;         // number of credential changes
    TimePoint looked_up_ = {};              // last lookup of changed credentials
    AsyncMutex looking_up_;
    bool stopping_ = false;
    Scope scope_;
};

}  // namespace gantry::gateway
