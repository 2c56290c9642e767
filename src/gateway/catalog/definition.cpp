#include "gateway/catalog/definition.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/json/text.hpp"
#include "mcp/protocol/older.hpp"

namespace gantry::gateway {

namespace {

using mcp::Revision;

/// Walks a text that was validated elsewhere; at the end of an invalid one it simply stops.
class Walk {
public:
    explicit Walk(std::string_view text) noexcept : p_(text.data()), end_(p_ + text.size()) {}

    bool take(char c) noexcept {
        skip_space();
        if (p_ == end_ || *p_ != c) return false;
        ++p_;
        return true;
    }
    std::string_view string() noexcept {
        skip_space();
        const char* begin = p_;
        if (p_ != end_ && *p_ == '"') skip_string();
        return {begin, p_};
    }
    std::string_view value() noexcept {
        skip_space();
        const char* begin = p_;
        std::size_t depth = 0;
        while (p_ != end_) {
            const char c = *p_;
            if (c == '"') {
                skip_string();
                if (depth == 0) break;
                continue;
            }
            const bool closes = c == '}' || c == ']';
            if (depth == 0 && (closes || c == ',' || json::is_space(c))) break;
            ++p_;
            if (c == '{' || c == '[') ++depth;
            if (closes && --depth == 0) break;
        }
        return {begin, p_};
    }

private:
    void skip_space() noexcept {
        while (p_ != end_ && json::is_space(*p_)) ++p_;
    }
    void skip_string() noexcept {
        for (++p_; p_ != end_ && *p_ != '"'; ++p_) {
            if (*p_ == '\\' && ++p_ == end_) return;
        }
        if (p_ != end_) ++p_;
    }

    const char* p_;
    const char* end_;
};

/// Whether a string token reads as `text`. Its escapes are not validated, so the rare token with one is parsed.
bool reads(std::string_view token, std::string_view text) {
    if (token.size() < 2 || token.front() != '"' || token.back() != '"') return false;
    if (!token.contains('\\')) return token.substr(1, token.size() - 2) == text;
    const auto parsed = Json::parse(token);
    return parsed && parsed->is_string() && *parsed->if_string() == text;
}

/// Members that may have to change for a client of `revision`. If a definition has none of them, nothing has to.
std::span<const std::string_view> touched_members(ItemKind kind, Revision item, Revision client) {
    static constexpr std::array<std::string_view, 1> kModernTool = {"execution"};
    static constexpr std::array<std::string_view, 1> kLegacyTool = {"outputSchema"};
    static constexpr std::array<std::string_view, 6> kOldTool = {"execution", "outputSchema", "icons",
                                                                 "title",     "annotations",  "_meta"};
    static constexpr std::array<std::string_view, 4> kOldPrompt = {"icons", "title", "arguments", "_meta"};
    static constexpr std::array<std::string_view, 4> kOldResource = {"icons", "title", "annotations", "_meta"};
    if (item == client) return {};
    if (kind == ItemKind::kTool) {
        if (mcp::is_modern(client)) return kModernTool;
        if (client == mcp::kLatestLegacyRevision) {
            return mcp::is_modern(item) ? std::span<const std::string_view>(kLegacyTool)
                                        : std::span<const std::string_view>();
        }
        return kOldTool;
    }
    if (client >= mcp::kLatestLegacyRevision) return {};
    return kind == ItemKind::kPrompt ? std::span<const std::string_view>(kOldPrompt) : kOldResource;
}

Json told(ItemKind kind, Json definition, Revision revision) {
    switch (kind) {
        case ItemKind::kTool: return mcp::tool_for(std::move(definition), revision);
        case ItemKind::kPrompt: return mcp::prompt_for(std::move(definition), revision);
        case ItemKind::kResource:
        case ItemKind::kTemplate: break;
    }
    return mcp::resource_for(std::move(definition), revision);
}

void rewrite(Json* uri, const std::function<std::string(std::string_view)>& public_uri) {
    if (uri == nullptr || !uri->is_string()) return;
    if (std::string changed = public_uri(*uri->if_string()); !changed.empty()) *uri = std::move(changed);
}

bool shows_page(const Item& item) {
    return item.kind == ItemKind::kTool && item.text.contains("resourceUri");
}

}  // namespace

std::optional<std::string_view> member_of(std::string_view object, std::string_view key) {
    Walk walk(object);
    if (!walk.take('{')) return std::nullopt;
    while (true) {
        const std::string_view name = walk.string();
        if (!walk.take(':')) return std::nullopt;
        const std::string_view value = walk.value();
        if (value.empty()) return std::nullopt;
        if (reads(name, key)) return value;
        if (!walk.take(',')) return std::nullopt;
    }
}

std::string_view name_key(ItemKind kind) noexcept {
    switch (kind) {
        case ItemKind::kResource: return "uri";
        case ItemKind::kTemplate: return "uriTemplate";
        default: return "name";
    }
}

std::optional<NamePlace> find_name(const Item& item) {
    const auto value = member_of(item.text, name_key(item.kind));
    if (!value || !reads(*value, item.name)) return std::nullopt;
    return NamePlace{static_cast<std::uint32_t>(value->data() - item.text.data()),
                     static_cast<std::uint32_t>(value->size())};
}

void append_definition(const Item& item, NamePlace place, const RenderOptions& options, std::string& out) {
    const auto touched = touched_members(item.kind, item.revision, options.revision);
    const bool rewrites_page = options.public_uri != nullptr && shows_page(item);
    const bool as_tree = rewrites_page || std::ranges::any_of(touched, [&item](std::string_view member) {
                             return member_of(item.text, member).has_value();
                         });
    auto tree = as_tree ? Json::parse(item.text) : Json();
    if (tree && tree->is_object()) {
        Json& definition = *tree;
        if (!touched.empty()) definition = told(item.kind, std::move(definition), options.revision);
        definition.if_object()->set(std::string(name_key(item.kind)), options.name);
        if (Json* meta = definition.find("_meta"); rewrites_page && meta != nullptr) {
            if (Json* ui = meta->find("ui")) rewrite(ui->find("resourceUri"), *options.public_uri);
            rewrite(meta->find("ui/resourceUri"), *options.public_uri);
        }
        definition.dump_to(out);
        return;
    }
    if (options.name == item.name) {
        out += item.text;
        return;
    }
    const std::string_view text = item.text;
    out += text.substr(0, place.at);
    json::quote_to(options.name, out);
    out += text.substr(place.at + place.size);
}

}  // namespace gantry::gateway
