#include "gateway/sources/mcp/inventory.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/try.hpp"
#include "gateway/sources/mcp/legacy_tasks.hpp"
#include "io/loop.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway {

namespace {

/// Entries read before the loop runs other work: compiling schemas takes time.
constexpr std::size_t kEntriesPerTurn = 32;

struct ListOf {
    ItemKind kind;
    const char* method;
    const char* member;
    bool offered;
};

/// Items of one kind, and the server's promises about them.
struct Listed {
    std::vector<ItemPtr> items;
    std::int64_t ttl_ms = std::numeric_limits<std::int64_t>::max();
    bool is_public = true;
    /// The server has more entries.
    bool full = false;
};

using Known = std::unordered_map<std::string_view, ItemPtr>;

/// Indexed by text: an entry with the same text is the same item, including its compiled schema.
std::shared_ptr<const Known> known_items(const Inventory& before, ItemKind kind, mcp::Revision revision,
                                         bool across_eras) {
    auto known = std::make_shared<Known>();
    for (const ItemPtr& item : before.items) {
        // `execution` marks a tool as able to run as a task only in a legacy definition.
        const bool same_terms = item->revision == revision || (across_eras && !item->text.contains(R"("execution")"));
        if (item->kind == kind && same_terms) known->emplace(item->text, item);
    }
    return known;
}

/// Names already taken, as views into their items.
using Names = std::unordered_set<std::string_view>;
using Entries = std::vector<Result<ItemPtr>>;

/// Some entries of a page with everything needed to read them, on any thread.
struct Slice {
    std::shared_ptr<const Json> page;
    std::shared_ptr<const Known> known;
    ListOf what;
    mcp::Revision revision = mcp::kLatestRevision;
    bool mirrors_headers = false;
    std::size_t from = 0;
    std::size_t to = 0;
};

Entries read_entries(const Slice& slice) {
    const JsonArray& entries = *slice.page->find(slice.what.member)->if_array();
    Entries read;
    for (std::size_t i = slice.from; i < slice.to; ++i) {
        const auto same = slice.known->find(entries[i].dump());
        read.push_back(same != slice.known->end()
                           ? Result<ItemPtr>(same->second)
                           : read_item(slice.what.kind, entries[i], slice.revision, slice.mirrors_headers));
    }
    return read;
}

/// Walks the server's lists page by page.
class Walk {
public:
    Walk(mcp::Client& client, const Listing& listing) : client_(client), listing_(listing) {}

    Task<Result<Listed>> list(const Context& ctx, ListOf what, std::shared_ptr<const Known> known) {
        Listed listed;
        std::set<std::string> cursors;
        Names names;
        std::optional<std::string> cursor;
        for (std::size_t number = 0; number < listing_.max_pages; ++number) {
            JsonObject params;
            if (cursor) params.set("cursor", *cursor);
            auto page = co_await client_.request(
                ctx, {.method = what.method, .params = std::move(params), .times = client_.settings().times}, true);
            if (!page) {
                const RpcError* refusal = page.error().rpc();
                const bool unknown = refusal != nullptr && refusal->code == mcp::rpc_code::kMethodNotFound;
                if (unknown && (!what.offered || what.kind == ItemKind::kTemplate)) co_return listed;
                co_return fail(page.error());
            }
            const Json* next = page->find("nextCursor");
            const bool more = next != nullptr && next->is_string();
            if (more) cursor = *next->if_string();
            GANTRY_CO_CHECK(co_await take(ctx, what, *std::move(page), known, names, listed));
            if (listed.full || !more) co_return listed;
            if (!cursors.insert(*cursor).second) {
                co_return fail(ErrorCode::kProtocol,
                               std::string(what.method) + ": the server handed out the same cursor twice");
            }
        }
        cut(what, "the server's list has too many pages; what comes after " + std::to_string(listing_.max_pages) +
                      " of them is left out");
        co_return listed;
    }

private:
    Task<Result<void>> take(const Context& ctx, ListOf what, Json page, std::shared_ptr<const Known> known,
                            Names& names, Listed& listed) {
        const Json* entries = page.find(what.member);
        if (entries == nullptr || !entries->is_array()) {
            co_return fail(ErrorCode::kProtocol, std::string(what.method) + ": the answer has no list");
        }
        const Json* ttl = page.find("ttlMs");
        const auto promised = ttl != nullptr ? ttl->as_int() : std::nullopt;
        listed.ttl_ms = std::min(listed.ttl_ms, std::max<std::int64_t>(0, promised.value_or(0)));
        listed.is_public = listed.is_public && page.string_at("cacheScope") == "public";
        const std::size_t count = entries->if_array()->size();
        auto shared = std::make_shared<const Json>(std::move(page));
        for (std::size_t from = 0; from < count && !listed.full; from += kEntriesPerTurn) {
            Slice slice{.page = shared,
                        .known = known,
                        .what = what,
                        .revision = client_.server().revision,
                        .mirrors_headers = listing_.mirrors_headers,
                        .from = from,
                        .to = std::min(count, from + kEntriesPerTurn)};
            // The last slice frees the page, on whichever thread it runs.
            if (slice.to == count) shared.reset();
            GANTRY_CO_TRY(Entries read, co_await read_slice(ctx, std::move(slice)));
            for (std::size_t i = 0; i < read.size() && !listed.full; ++i) add(what, from + i, read[i], names, listed);
        }
        if (shared && listing_.worker) {
            // Freeing a long list takes as long as reading it.
            auto freed =
                co_await listing_.worker->run<void>(ctx, [rest = std::move(shared)] { return Result<void>(); });
            static_cast<void>(freed);
        }
        co_return Result<void>();
    }

    Task<Result<Entries>> read_slice(const Context& ctx, Slice slice) const {
        if (listing_.worker)
            co_return co_await listing_.worker->run<Entries>(
                ctx, [slice = std::move(slice)]() -> Result<Entries> { return read_entries(slice); });
        co_await yield_now();
        GANTRY_CO_CHECK(ctx.check());
        co_return read_entries(slice);
    }

    void add(const ListOf& what, std::size_t number, Result<ItemPtr>& item, Names& names, Listed& listed) const {
        const std::string place = std::string(what.member) + '[' + std::to_string(number) + "] is left out";
        if (!item) return skip(item.error().within(place));
        if (listed.items.size() >= listing_.max_items) {
            cut(what, "the server's list is too long; what comes after " + std::to_string(listing_.max_items) +
                          " entries is left out (limits.max_list_entries)");
            listed.full = true;
            return;
        }
        if (!names.insert((*item)->name).second)
            return skip(Error(ErrorCode::kProtocol, place + ": its name '" + (*item)->name + "' is there already"));
        listed.items.push_back(*std::move(item));
    }

    void cut(const ListOf& what, const std::string& why) const {
        const Error error(ErrorCode::kLimit, std::string(what.method) + ": " + why);
        skip(error);
        if (listing_.on_cut) listing_.on_cut(what.kind, error);
    }

    void skip(const Error& why) const {
        if (listing_.on_skipped) listing_.on_skipped(why);
    }

    mcp::Client& client_;
    const Listing& listing_;
};

/// The list cannot be read because the server is unreachable, as opposed to a server that answers with an error.
bool unreachable(const Error& error) {
    return error.code() == ErrorCode::kConnection || error.code() == ErrorCode::kOutcomeUnknown ||
           error.code() == ErrorCode::kCancelled;
}

}  // namespace

Task<Result<InventoryPtr>> read_inventory(const Context& ctx, mcp::Client& client, InventoryPtr before, Kinds kinds,
                                          Listing listing) {
    auto inventory = std::make_shared<Inventory>();
    const mcp::ServerDescription& server = client.server();
    inventory->capabilities = server.capabilities;
    // Modern clients see such tasks in the extension's form.
    if (runs_tasks(server)) inventory->capabilities.extensions.set(std::string(mcp::kTasksExtension), JsonObject{});
    inventory->instructions = server.instructions;
    inventory->server = server.info;
    inventory->modern = mcp::is_modern(server.revision);
    inventory->ttl_ms = std::numeric_limits<std::int64_t>::max();
    inventory->is_public = true;
    const bool resources = server.capabilities.resources.has_value();
    const ListOf lists[] = {
        // Requested in any case: some servers offer tools without declaring the capability.
        {ItemKind::kTool, "tools/list", "tools", server.capabilities.tools.has_value()},
        {ItemKind::kPrompt, "prompts/list", "prompts", server.capabilities.prompts.has_value()},
        {ItemKind::kResource, "resources/list", "resources", resources},
        {ItemKind::kTemplate, "resources/templates/list", "resourceTemplates", resources},
    };
    Walk walk(client, listing);
    for (const ListOf& what : lists) {
        bool stays = !kinds.test(static_cast<std::size_t>(what.kind));
        if (!stays && (what.offered || what.kind == ItemKind::kTool)) {
            auto listed = co_await walk.list(
                ctx, what, known_items(*before, what.kind, client.server().revision, listing.across_eras));
            if (listed) {
                std::ranges::move(listed->items, std::back_inserter(inventory->items));
                inventory->ttl_ms = std::min(inventory->ttl_ms, listed->ttl_ms);
                inventory->is_public = inventory->is_public && listed->is_public;
            } else if (unreachable(listed.error())) {
                co_return fail(listed.error());
            } else {
                if (listing.on_skipped) listing.on_skipped(listed.error());
                if (listing.on_failed) listing.on_failed(what.kind, listed.error());
                stays = true;
            }
        }
        if (stays) {
            std::ranges::copy_if(before->items, std::back_inserter(inventory->items),
                                 [kind = what.kind](const ItemPtr& item) { return item->kind == kind; });
            inventory->ttl_ms = std::min(inventory->ttl_ms, before->ttl_ms);
            inventory->is_public = inventory->is_public && before->is_public;
        }
    }
    if (inventory->ttl_ms == std::numeric_limits<std::int64_t>::max()) inventory->ttl_ms = 0;
    inventory->is_public = inventory->is_public && inventory->modern;
    co_return inventory;
}

}  // namespace gantry::gateway
