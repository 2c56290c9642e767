// Client's lists: fetches all pages and caches complete answers while fresh.

#include <algorithm>
#include <iterator>

#include "base/try.hpp"
#include "mcp/client/client.hpp"
#include "mcp/client/list_page.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::mcp {

namespace {

Duration promised(std::int64_t ttl_ms) {
    constexpr std::int64_t kDay = 24LL * 60 * 60 * 1000;
    return milliseconds(std::clamp<std::int64_t>(ttl_ms, 0, kDay));
}

template <class Declared>
bool announced(const std::optional<Declared>& capability) {
    return capability && capability->list_changed.value_or(false);
}

}  // namespace

template <class Page, class Item>
Task<Result<std::vector<Item>>> Client::list(const Context& ctx, bool refresh, ListSource source,
                                             ListCache<Item>& cache, std::vector<Item> Page::* items,
                                             RetryBudget& budget) {
    if (closed_) co_return fail(ErrorCode::kInvalidArgument, "the client is closed");
    if (const auto* fresh = refresh ? nullptr : cache.fresh()) co_return *fresh;
    const std::string method = source.method;
    const std::uint64_t generation = cache.generation();
    Duration ttl = ListCache<Item>::kLongest;
    std::vector<Item> all;
    std::set<std::string> seen;
    PageParams params;
    for (std::size_t number = 0; number < settings_.max_pages; ++number) {
        SessionRequest asked{.method = method,
                             .params = std::move(*encode(params, server().revision).if_object()),
                             .times = settings_.times};
        auto answer = co_await request(ctx, std::move(asked), true, budget);
        if (!answer) {
            const RpcError* refusal = answer.error().rpc();
            if (!source.offered && refusal != nullptr && refusal->code == rpc_code::kMethodNotFound) co_return all;
            co_return fail(answer.error());
        }
        auto page = read_page<Page, Item>(*std::move(answer), source.member, server().revision,
                                          [this](Error why) { left_out(std::move(why)); });
        if (!page) co_return fail(page.error().within(method));
        ttl = std::min(ttl, promised(page->ttl_ms));
        std::vector<Item>& more = (*page).*items;
        if (all.size() + more.size() > settings_.max_list_items) {
            co_return fail(ErrorCode::kLimit, method + ": the server's list is longer than " +
                                                  std::to_string(settings_.max_list_items) + " items");
        }
        std::ranges::move(more, std::back_inserter(all));
        if (!page->next_cursor) {
            // A legacy list is fresh until the server reports a change, if it declared that it would.
            if (!is_modern(server().revision)) ttl = source.announced ? ListCache<Item>::kLongest : Duration::zero();
            cache.store(all, ttl, generation);
            co_return all;
        }
        if (!seen.insert(*page->next_cursor).second) {
            co_return fail(ErrorCode::kProtocol, method + ": the server handed out the same cursor twice");
        }
        params.cursor = std::move(page->next_cursor);
    }
    co_return fail(ErrorCode::kLimit,
                   method + ": the server's list has more than " + std::to_string(settings_.max_pages) + " pages");
}

Task<Result<std::vector<Tool>>> Client::list_tools(const Context& ctx, bool refresh) {
    RetryBudget budget = supervisor_.begin();
    co_return co_await list_tools(ctx, refresh, budget);
}

Task<Result<std::vector<Tool>>> Client::list_tools(const Context& ctx, bool refresh, RetryBudget& budget) {
    const auto& declared = server().capabilities.tools;
    const auto before = tools_.latest();
    GANTRY_CO_TRY(auto tools,
                  co_await list(ctx, refresh, {"tools/list", "tools", declared.has_value(), announced(declared)},
                                tools_, &ListToolsResult::tools, budget));
    const bool fetched = tools_.latest() != before;
    if (fetched) schemas_.clear();
    drop_unusable(tools, fetched);
    co_return tools;
}

Task<Result<std::vector<Resource>>> Client::list_resources(const Context& ctx, bool refresh) {
    const auto& declared = server().capabilities.resources;
    RetryBudget budget = supervisor_.begin();
    co_return co_await list(ctx, refresh, {"resources/list", "resources", declared.has_value(), announced(declared)},
                            resources_, &ListResourcesResult::resources, budget);
}

Task<Result<std::vector<ResourceTemplate>>> Client::list_resource_templates(const Context& ctx, bool refresh) {
    const auto& declared = server().capabilities.resources;
    RetryBudget budget = supervisor_.begin();
    co_return co_await list(
        ctx, refresh, {"resources/templates/list", "resourceTemplates", declared.has_value(), announced(declared)},
        templates_, &ListResourceTemplatesResult::resource_templates, budget);
}

Task<Result<std::vector<Prompt>>> Client::list_prompts(const Context& ctx, bool refresh) {
    const auto& declared = server().capabilities.prompts;
    RetryBudget budget = supervisor_.begin();
    co_return co_await list(ctx, refresh, {"prompts/list", "prompts", declared.has_value(), announced(declared)},
                            prompts_, &ListPromptsResult::prompts, budget);
}

/// Over HTTP, a modern tool with invalid header annotations cannot be called as specified, so it alone is dropped.
void Client::drop_unusable(std::vector<Tool>& tools, bool tell) const {
    if (!mirrors_headers()) return;
    std::erase_if(tools, [this, tell](const Tool& tool) {
        auto mirrored = header_params(tool.input_schema);
        if (!mirrored && tell) left_out(mirrored.error().within("tool '" + tool.name + "' is left out"));
        return !mirrored;
    });
}

void Client::left_out(Error why) const {
    if (settings_.handlers.on_skipped) {
        settings_.handlers.on_skipped(why);
    } else if (settings_.handlers.on_oddity) {
        settings_.handlers.on_oddity(why);
    }
}

}  // namespace gantry::mcp
