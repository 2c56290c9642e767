#include "base/crypto/base64url.hpp"
#include "mcp/handlers/server_core.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/older.hpp"

namespace gantry::mcp {
namespace {

/// A stateless cursor: the list's tag and the last key returned. It remains valid when entries are added or removed.
std::string make_cursor(char tag, std::string_view last) {
    return crypto::base64url_encode(std::string(1, tag).append(last));
}

/// Empty: start at the beginning.
Result<std::optional<std::string>> read_cursor(const json::Span& cursor, char tag) {
    if (!cursor || cursor.is_null()) return std::nullopt;
    if (const auto text = cursor.text()) {
        const auto plain = crypto::base64url_decode(*text);
        if (plain && !plain->empty() && plain->front() == tag) return plain->substr(1);
    }
    return fail(ErrorCode::kInvalidArgument, "the cursor is not one of this list");
}

}  // namespace

template <class Entry>
Answer ServerCore::list_entries(const Call& call, const Entries<Entry>& entries, std::string_view member, char tag,
                                Json (*show)(Json, Revision)) {
    const Revision revision = call.peer->revision;
    const auto after = read_cursor(call.view.in_params.cursor, tag);
    if (!after) return Answer::failure(call, after.error());
    auto& first_page = first_pages_[{tag, revision}];
    if (!*after && first_page) return Answer::result(call, first_page);

    JsonArray items;
    std::optional<std::string> next;
    const std::string* last = nullptr;
    for (auto at = *after ? entries.upper_bound(**after) : entries.begin(); at != entries.end(); ++at) {
        if (items.size() == options.page_size) {
            next = make_cursor(tag, *last);
            break;
        }
        items.push_back(show(at->second->shown, revision));
        last = &at->first;
    }
    JsonObject result;
    if (is_modern(revision)) result.set("resultType", "complete");
    result.set(std::string(member), std::move(items));
    if (next) result.set("nextCursor", *std::move(next));
    if (is_modern(revision)) {
        result.set("ttlMs", std::chrono::duration_cast<milliseconds>(options.ttl).count());
        result.set("cacheScope", to_string(options.cache_scope));
        JsonObject meta;
        stamp_server_info(meta, self);
        result.set("_meta", std::move(meta));
    }
    auto text = std::make_shared<const std::string>(Json(std::move(result)).dump());
    if (!*after) first_page = text;
    return Answer::result(call, std::move(text));
}

Answer ServerCore::list(const Call& call) {
    if (call.method == method::kListTools) return list_entries(call, tools, "tools", 't', tool_for);
    if (call.method == method::kListResources) return list_entries(call, resources, "resources", 'r', resource_for);
    if (call.method == method::kListPrompts) return list_entries(call, prompts, "prompts", 'p', prompt_for);
    if (call.method == method::kListResourceTemplates) {
        return list_entries(call, templates, "resourceTemplates", 'u', resource_for);
    }
    return Answer::failure(call, method_not_found(call.method));
}

}  // namespace gantry::mcp
