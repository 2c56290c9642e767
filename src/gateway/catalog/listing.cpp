#include <algorithm>
#include <utility>

#include "base/json/splice.hpp"
#include "base/json/text.hpp"
#include "base/try.hpp"
#include "gateway/catalog/cursor.hpp"
#include "gateway/catalog/impl.hpp"
#include "mcp/protocol/meta.hpp"

namespace gantry::gateway {

namespace {

constexpr std::array<std::string_view, kItemKinds> kListKeys = {"tools", "prompts", "resources", "resourceTemplates"};

bool announces(const mcp::ServerCapabilities& declared, ItemKind kind) {
    switch (kind) {
        case ItemKind::kTool: return declared.tools && declared.tools->list_changed.value_or(false);
        case ItemKind::kPrompt: return declared.prompts && declared.prompts->list_changed.value_or(false);
        case ItemKind::kResource:
        case ItemKind::kTemplate: return declared.resources && declared.resources->list_changed.value_or(false);
    }
    return false;
}

}  // namespace

Result<Page> Catalog::Impl::list(ItemKind kind, const Scope& scope, mcp::Revision revision,
                                 std::optional<std::string_view> cursor) const {
    const ScopeListing& listing = scope.listing(kind);
    const auto& order = listing.for_client(revision);
    std::size_t begin = 0;
    if (cursor) {
        GANTRY_TRY(const std::string after, decode_cursor(kind, *cursor));
        GANTRY_TRY(begin, place_after(kind, scope, order, after));
    }
    // Pages end at fixed positions, so that a client that comes with an old cursor is back on the cached pages after
    // one page.
    const std::size_t page_size = plan_->rules().page_size;
    const std::size_t page = begin / page_size;
    const std::size_t end = std::min((page + 1) * page_size, order.size());
    if (begin % page_size != 0 || (begin == end && begin != 0)) {
        return make_page(kind, scope, revision, begin, end);
    }
    if (Page rendered = listing.pages.find(revision, page)) return rendered;
    return listing.pages.keep(revision, page, make_page(kind, scope, revision, begin, end));
}

/// The position at which a list continues after the item of that name.
Result<std::size_t> Catalog::Impl::place_after(ItemKind kind, const Scope& scope,
                                               const std::vector<std::uint32_t>& order, std::string_view name) const {
    auto next = order.begin();
    if (scope.kind == Scope::Kind::kServer) {
        const auto last = table(kind).own(scope.sources.front(), name);
        // Only a sorted list shows the position of an item that is gone.
        if (!last) return fail(ErrorCode::kInvalidArgument, "the cursor's item is gone; list again");
        next = std::ranges::upper_bound(order, *last);
    } else {
        next = std::ranges::upper_bound(order, name, {},
                                        [&](std::uint32_t e) { return scope.name_of(*table(kind).entries[e]); });
    }
    return static_cast<std::size_t>(next - order.begin());
}

std::vector<std::string_view> Catalog::Impl::names(ItemKind kind, const Scope& scope, mcp::Revision revision,
                                                   std::size_t most) const {
    const auto& order = scope.listing(kind).for_client(revision);
    const auto& all = table(kind).entries;
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i) out.push_back(scope.name_of(*all[order[i]]));
    return out;
}

Page Catalog::Impl::make_page(ItemKind kind, const Scope& scope, mcp::Revision revision, std::size_t begin,
                              std::size_t end) const {
    const auto& order = scope.listing(kind).for_client(revision);
    const auto& all = table(kind).entries;
    std::size_t size = 512;
    for (std::size_t i = begin; i < end; ++i) size += all[order[i]]->item->text.size() + all[order[i]]->name.size() + 8;
    std::string out;
    out.reserve(size);
    out.append("{\"").append(kListKeys[static_cast<std::size_t>(kind)]).append("\":[");
    for (std::size_t i = begin; i < end; ++i) {
        if (i != begin) out += ',';
        append_entry(scope, *all[order[i]], revision, out);
    }
    out += ']';
    if (end < order.size()) {
        const std::string_view last = scope.name_of(*all[order[end - 1]]);
        out.append(",\"nextCursor\":\"").append(encode_cursor(kind, last)).append("\"");
    }
    if (mcp::is_modern(revision)) append_stamps(kind, scope, out);
    out += '}';
    // Definitions may span several lines; a page must fit every framing.
    json::make_one_line(out);
    return std::make_shared<const std::string>(std::move(out));
}

void Catalog::Impl::append_entry(const Scope& scope, const Entry& entry, mcp::Revision revision,
                                 std::string& out) const {
    RenderOptions options{.revision = revision, .name = scope.name_of(entry)};
    std::function<std::string(std::string_view)> rewrite;
    if (scope.kind != Scope::Kind::kServer && has_renamed_uris_[entry.source]) {
        rewrite = [this, &entry](std::string_view uri) { return public_uri(name_of(entry.source), uri); };
        options.public_uri = &rewrite;
    }
    append_definition(*entry.item, entry.place, options, out);
}

std::int64_t Catalog::Impl::promised_ttl(ItemKind kind, SourceNumber source) const {
    const Inventory& inventory = *inventories_[source];
    const std::int64_t longest = plan_->rules().max_ttl_ms;
    if (inventory.ttl_ms > 0) return std::min(inventory.ttl_ms, longest);
    // If the source announces changes, the gateway forwards the announcement, which ends every promised lifetime.
    return announces(inventory.capabilities, kind) ? longest : 0;
}

void Catalog::Impl::append_stamps(ItemKind kind, const Scope& scope, std::string& out) const {
    const auto& parts = scope.listing(kind).parts;
    std::int64_t ttl = parts.empty() ? 0 : plan_->rules().max_ttl_ms;
    bool is_public = !parts.empty();
    for (const SourceNumber source : parts) {
        ttl = std::min(ttl, promised_ttl(kind, source));
        is_public = is_public && inventories_[source]->is_public;
    }
    out.append(",\"resultType\":\"complete\",\"ttlMs\":").append(std::to_string(ttl));
    out.append(",\"cacheScope\":\"")
        .append(to_string(is_public ? mcp::CacheScope::kPublic : mcp::CacheScope::kPrivate));
    out.append("\",\"_meta\":{\"")
        .append(mcp::meta_key::kServerInfo)
        .append("\":")
        .append(plan_->self_text())
        .append("}");
}

Page Catalog::Impl::plain_tools(const Scope& scope) const {
    const ScopeListing& listing = scope.listing(ItemKind::kTool);
    if (Page rendered = listing.pages.find_plain()) return rendered;
    std::string out = R"({"tools":[)";
    for (const std::uint32_t e : listing.order) {
        const Entry& entry = *table(ItemKind::kTool).entries[e];
        if (out.back() != '[') out += ',';
        out += R"({"name":)";
        json::quote_to(scope.name_of(entry), out);
        if (const auto text = member_of(entry.item->text, "description")) out.append(",\"description\":").append(*text);
        out += R"(,"server":)";
        json::quote_to(name_of(entry.source), out);
        const auto schema = member_of(entry.item->text, "inputSchema");
        out.append(",\"inputSchema\":").append(schema.value_or(R"({"type":"object"})")).append("}");
    }
    out += "]}";
    json::make_one_line(out);
    return listing.pages.keep_plain(std::make_shared<const std::string>(std::move(out)));
}

bool Catalog::Impl::draws_on(const Scope& scope, ItemKind kind, std::string_view source) const {
    const auto number = plan_->source_named(source);
    return number && std::ranges::binary_search(scope.listing(kind).parts, *number);
}

}  // namespace gantry::gateway
