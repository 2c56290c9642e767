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
    const std::size_t page = begin / rules_.page_size;
    const std::size_t end = std::min((page + 1) * rules_.page_size, order.size());
    if (begin % rules_.page_size != 0 || (begin == end && begin != 0)) {
        return make_page(kind, scope, revision, begin, end);
    }
    auto& pages = listing.pages[static_cast<std::size_t>(revision)];
    if (pages.size() <= page) pages.resize(page + 1);
    if (pages[page] == nullptr) pages[page] = make_page(kind, scope, revision, begin, end);
    return pages[page];
}

/// The position at which a list continues after the item of that name.
Result<std::size_t> Catalog::Impl::place_after(ItemKind kind, const Scope& scope,
                                               const std::vector<std::uint32_t>& order, std::string_view name) const {
    auto next = order.begin();
    if (scope.kind == Scope::Kind::kServer) {
        const NameIndex& own = stock_.by_own[scope.sources.front()][static_cast<std::size_t>(kind)];
        const auto last = own.find(name);
        // Only a sorted list shows the position of an item that is gone.
        if (last == own.end()) return fail(ErrorCode::kInvalidArgument, "the cursor's item is gone; list again");
        next = std::ranges::upper_bound(order, last->second);
    } else {
        next = std::ranges::upper_bound(order, name, {},
                                        [&](std::uint32_t e) { return name_in(scope, entries(kind)[e]); });
    }
    return static_cast<std::size_t>(next - order.begin());
}

std::vector<std::string_view> Catalog::Impl::names(ItemKind kind, const Scope& scope, mcp::Revision revision,
                                                   std::size_t most) const {
    const auto& order = scope.listing(kind).for_client(revision);
    const auto& all = entries(kind);
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i) out.push_back(name_in(scope, all[order[i]]));
    return out;
}

Page Catalog::Impl::make_page(ItemKind kind, const Scope& scope, mcp::Revision revision, std::size_t begin,
                              std::size_t end) const {
    const auto& order = scope.listing(kind).for_client(revision);
    const auto& all = entries(kind);
    std::size_t size = 512;
    for (std::size_t i = begin; i < end; ++i) size += all[order[i]].item->text.size() + all[order[i]].name.size() + 8;
    std::string out;
    out.reserve(size);
    out.append("{\"").append(kListKeys[static_cast<std::size_t>(kind)]).append("\":[");
    for (std::size_t i = begin; i < end; ++i) {
        if (i != begin) out += ',';
        append_entry(scope, all[order[i]], revision, out);
    }
    out += ']';
    if (end < order.size()) {
        const std::string_view last = name_in(scope, all[order[end - 1]]);
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
    RenderOptions options{.revision = revision, .name = name_in(scope, entry)};
    std::function<std::string(std::string_view)> rewrite;
    if (scope.kind != Scope::Kind::kServer && has_renamed_uris_[entry.source]) {
        rewrite = [this, &entry](std::string_view uri) { return public_uri(sources_[entry.source].source_name, uri); };
        options.public_uri = &rewrite;
    }
    append_definition(*entry.item, entry.place, options, out);
}

std::int64_t Catalog::Impl::promised_ttl(ItemKind kind, std::uint32_t source) const {
    const Inventory& inventory = *sources_[source].inventory;
    if (inventory.ttl_ms > 0) return std::min(inventory.ttl_ms, rules_.max_ttl_ms);
    // If the source announces changes, the gateway forwards the announcement, which ends every promised lifetime.
    return announces(inventory.capabilities, kind) ? rules_.max_ttl_ms : 0;
}

void Catalog::Impl::append_stamps(ItemKind kind, const Scope& scope, std::string& out) const {
    const auto& parts = scope.listing(kind).parts;
    std::int64_t ttl = parts.empty() ? 0 : rules_.max_ttl_ms;
    bool is_public = !parts.empty();
    for (const std::uint32_t source : parts) {
        ttl = std::min(ttl, promised_ttl(kind, source));
        is_public = is_public && sources_[source].inventory->is_public;
    }
    out.append(",\"resultType\":\"complete\",\"ttlMs\":").append(std::to_string(ttl));
    out.append(",\"cacheScope\":\"")
        .append(to_string(is_public ? mcp::CacheScope::kPublic : mcp::CacheScope::kPrivate));
    out.append("\",\"_meta\":{\"").append(mcp::meta_key::kServerInfo).append("\":").append(self_text_).append("}");
}

Page Catalog::Impl::plain_tools(const Scope& scope) const {
    if (scope.plain != nullptr) return scope.plain;
    std::string out = R"({"tools":[)";
    const auto& all = entries(ItemKind::kTool);
    for (const std::uint32_t e : scope.listing(ItemKind::kTool).order) {
        const Entry& entry = all[e];
        if (out.back() != '[') out += ',';
        out += R"({"name":)";
        json::quote_to(name_in(scope, entry), out);
        if (const auto text = member_of(entry.item->text, "description")) out.append(",\"description\":").append(*text);
        out += R"(,"server":)";
        json::quote_to(sources_[entry.source].source_name, out);
        const auto schema = member_of(entry.item->text, "inputSchema");
        out.append(",\"inputSchema\":").append(schema.value_or(R"({"type":"object"})")).append("}");
    }
    out += "]}";
    json::make_one_line(out);
    scope.plain = std::make_shared<const std::string>(std::move(out));
    return scope.plain;
}

std::uint64_t Catalog::Impl::digest(ItemKind kind, const Scope& scope) const {
    const ScopeListing& listing = scope.listing(kind);
    if (!listing.digest) {
        std::uint64_t sum = stable_hash({}, listing.order.size());
        for (const std::uint32_t e : listing.order) {
            const Entry& entry = entries(kind)[e];
            sum = stable_hash(name_in(scope, entry), sum);
            sum = stable_hash(entry.item->text, sum + static_cast<std::uint64_t>(entry.item->revision));
        }
        listing.digest = sum;
    }
    return *listing.digest;
}

}  // namespace gantry::gateway
