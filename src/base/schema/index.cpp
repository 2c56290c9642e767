#include "base/schema/index.hpp"

#include <algorithm>
#include <charconv>

#include "base/schema/metaschemas.hpp"
#include "base/schema/uri.hpp"
#include "base/try.hpp"

namespace gantry::schema {
namespace {

std::string unescape_token(std::string_view token) {
    std::string out;
    for (std::size_t i = 0; i < token.size(); ++i) {
        if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
            out.push_back(token[++i] == '0' ? '~' : '/');
        } else {
            out.push_back(token[i]);
        }
    }
    return out;
}

const Json* step_into(const Json& at, std::string_view token) {
    if (at.is_object()) return at.find(token);
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
    const bool canonical = token == "0" || !token.starts_with('0');
    if (error != std::errc() || end != token.data() + token.size() || !canonical) return nullptr;
    return at.at(index);
}

const std::string* string_member(const Json& schema, std::string_view key) {
    const Json* value = schema.find(key);
    return value ? value->if_string() : nullptr;
}

bool is_schema(const Json& json) {
    return json.is_object() || json.is_bool();
}

}  // namespace

std::string escape_token(std::string_view key) {
    std::string out;
    out.reserve(key.size());
    for (const char c : key) {
        if (c == '~') {
            out.append("~0");
        } else if (c == '/') {
            out.append("~1");
        } else {
            out.push_back(c);
        }
    }
    return out;
}

std::string describe_place(const std::vector<Place>& places, PlaceId id) {
    std::vector<PlaceId> way;
    for (; id != kNoPlace; id = places[id].parent) way.push_back(id);
    std::string out = places[way.back()].step + "#";
    for (std::size_t i = way.size() - 1; i-- > 0;) {
        const std::string& step = places[way[i]].step;
        out.append(step, 0, 256);  // bounds the message for long names
        if (step.size() > 256) out.append("…");
    }
    return out;
}

std::string Index::describe(PlaceId id) const {
    return describe_place(places_, id);
}

std::vector<Place> Index::take_places() && {
    for (Place& place : places_) place.json = nullptr;
    return std::move(places_);
}

Result<PlaceId> Index::add_root(const Json& schema) {
    if (options_.default_draft == Draft::kDraft7) {
        GANTRY_TRY(root_dialect_, dialect_named(kDraft7Uri, options_));
    }
    if (const std::string* named = string_member(schema, "$schema")) {
        GANTRY_TRY(root_dialect_, dialect_named(*named, options_));
    }
    GANTRY_TRY(const PlaceId root, add_document(options_.base_uri, schema, root_dialect_));
    places_[root].step.clear();
    return root;
}

Result<PlaceId> Index::add_document(std::string uri, const Json& document, Dialect inherited) {
    const auto id = static_cast<PlaceId>(places_.size());
    const auto resource = static_cast<std::uint32_t>(resources_.size());
    resources_.push_back(Resource{uri, id, inherited, {}, {}});
    by_uri_.emplace(uri, resource);
    GANTRY_CHECK(walk(Pending{&document, kNoPlace, std::move(uri), resource, 0}));
    return id;
}

Result<void> Index::walk(Pending first) {
    pending_.push_back(std::move(first));
    while (!pending_.empty()) {
        Pending at = std::move(pending_.back());
        pending_.pop_back();
        if (by_json_.contains(at.json)) continue;
        const auto id = static_cast<PlaceId>(places_.size());
        if (id >= options_.max_nodes) {
            return fail(ErrorCode::kLimit,
                        "schema has more than " + std::to_string(options_.max_nodes) + " subschemas");
        }
        places_.push_back(Place{at.json, at.parent, at.step, at.resource});
        by_json_.emplace(at.json, id);
        if (at.depth > options_.max_depth) {
            return fail(ErrorCode::kLimit, "schema is nested deeper than " + std::to_string(options_.max_depth));
        }
        if (!is_schema(*at.json)) {
            return fail(ErrorCode::kSchema, "schema at " + describe(id) + ": must be an object or a boolean");
        }
        if (at.json->is_object()) {
            GANTRY_CHECK(enter(at, id));
            GANTRY_CHECK(queue_children(at, id));
        }
    }
    return {};
}

/// Reads what identifies the schema: its `$schema`, `$id` and anchors.
Result<void> Index::enter(Pending& at, PlaceId id) {
    const Json& schema = *at.json;
    const bool draft7 = resources_[at.resource].dialect.draft == Draft::kDraft7;
    const bool document_root = at.parent == kNoPlace;
    const std::string* own_id = string_member(schema, "$id");
    // In draft 7 a $ref overrides its siblings.
    if (draft7 && schema.find("$ref") && !document_root) return {};

    if (own_id) {
        const auto [base, fragment] = split_fragment(*own_id);
        if (!fragment.empty() && !draft7) {
            return fail(ErrorCode::kSchema, "schema at " + describe(id) + ": $id must not have a fragment");
        }
        if (!base.empty()) {
            GANTRY_CHECK(open_resource(at, id, resolve_uri(resources_[at.resource].uri, base)));
        }
        if (!fragment.empty()) resources_[at.resource].anchors.emplace(fragment, id);
    }
    if (const std::string* named = string_member(schema, "$schema"); named && (document_root || own_id)) {
        GANTRY_TRY(resources_[at.resource].dialect, dialect_named(*named, options_));
    }
    Resource& resource = resources_[at.resource];
    if (resource.dialect.draft == Draft::kDraft7) return {};
    if (const std::string* anchor = string_member(schema, "$anchor")) resource.anchors.emplace(*anchor, id);
    if (const std::string* anchor = string_member(schema, "$dynamicAnchor")) {
        resource.anchors.emplace(*anchor, id);
        resource.dynamic_anchors.emplace(*anchor, id);
    }
    return {};
}

Result<void> Index::open_resource(Pending& at, PlaceId id, std::string uri) {
    if (at.parent == kNoPlace) {  // a document with two names: its retrieval URI, and its $id
        by_uri_.emplace(uri, at.resource);
        resources_[at.resource].uri = std::move(uri);
        return {};
    }
    const auto resource = static_cast<std::uint32_t>(resources_.size());
    resources_.push_back(Resource{uri, id, resources_[at.resource].dialect, {}, {}});
    by_uri_.emplace(std::move(uri), resource);
    at.resource = resource;
    places_[id].resource = resource;
    return {};
}

Result<void> Index::queue_children(const Pending& at, PlaceId id) {
    const Dialect dialect = resources_[at.resource].dialect;
    const std::size_t before = pending_.size();
    for (const auto& [name, value] : *at.json->if_object()) {
        const KeywordInfo* info = find_keyword(name, dialect);
        if (info && info->shape != Shape::kValue) GANTRY_CHECK(queue_keyword(*info, name, value, at, id));
    }
    // Reversed because entries are taken from the end: places are numbered in text order.
    std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(before), pending_.end());
    return {};
}

Result<void> Index::queue_keyword(const KeywordInfo& info, const std::string& name, const Json& value,
                                  const Pending& at, PlaceId id) {
    const auto queue = [&](const Json& json, std::string step) {
        pending_.push_back(Pending{&json, id, std::move(step), at.resource, at.depth + 1});
    };
    const auto wrong = [&](std::string_view what) {
        return fail(ErrorCode::kSchema, "schema at " + describe(id) + ": " + name + " must be " + std::string(what));
    };
    const bool plain = info.shape == Shape::kSchema || (info.shape == Shape::kSchemaOrSchemas && !value.is_array());
    if (plain) {
        if (!is_schema(value)) {
            const bool tuple = info.keyword == Keyword::kItems && value.is_array();
            return wrong(tuple ? "a schema (an array of schemas is prefixItems in draft 2020-12)" : "a schema");
        }
        queue(value, "/" + name);
        return {};
    }
    if (info.shape == Shape::kSchemas || info.shape == Shape::kSchemaOrSchemas) {
        const JsonArray* list = value.if_array();
        if (!list) return wrong("an array of schemas");
        for (std::size_t i = 0; i < list->size(); ++i) queue((*list)[i], "/" + name + "/" + std::to_string(i));
        return {};
    }
    const JsonObject* map = value.if_object();
    if (!map) return wrong("an object");
    for (const auto& [key, schema] : *map) {
        if (info.shape == Shape::kSchemaOrNamesMap && schema.is_array()) continue;
        queue(schema, "/" + name + "/" + escape_token(key));
    }
    return {};
}

std::unexpected<Error> Index::unresolved(PlaceId from, std::string_view reference, std::string_view why) const {
    return fail(ErrorCode::kSchema, "schema at " + describe(from) + ": reference '" +
                                        std::string(reference.substr(0, 512)) +
                                        "' cannot be resolved: " + std::string(why));
}

Result<PlaceId> Index::resolve(PlaceId from, std::string_view reference) {
    const std::string absolute = resolve_uri(resources_[places_[from].resource].uri, reference);
    const auto [uri, raw_fragment] = split_fragment(absolute);
    GANTRY_TRY(const std::uint32_t resource, resource_at(std::string(uri), reference, from));
    const std::string fragment = percent_decode(raw_fragment);
    if (fragment.empty()) return resources_[resource].root;
    if (fragment.starts_with('/')) return follow_pointer(resource, fragment, reference, from);
    const auto& anchors = resources_[resource].anchors;
    const auto found = anchors.find(fragment);
    if (found == anchors.end()) return unresolved(from, reference, "there is no such anchor");
    return found->second;
}

Result<std::uint32_t> Index::resource_at(const std::string& uri, std::string_view reference, PlaceId from) {
    if (const auto known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
    const Json* document = nullptr;
    if (const auto given = options_.documents.find(uri); given != options_.documents.end()) {
        document = &given->second;
    } else {
        document = builtin_document(uri);
    }
    if (!document) return unresolved(from, reference, "no such document is known, and nothing is ever fetched");
    const auto resource = static_cast<std::uint32_t>(resources_.size());
    GANTRY_CHECK(add_document(uri, *document, root_dialect_));
    return resource;
}

Result<PlaceId> Index::follow_pointer(std::uint32_t resource, const std::string& pointer, std::string_view reference,
                                      PlaceId from) {
    PlaceId nearest = resources_[resource].root;
    const Json* at = places_[nearest].json;
    std::string_view rest = pointer;
    std::string step;
    std::size_t depth = 0;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('/', 1), rest.size());
        const std::string token = unescape_token(rest.substr(1, end - 1));
        at = step_into(*at, token);
        if (!at) return unresolved(from, reference, "its pointer leads nowhere");
        step.append("/").append(escape_token(token));
        rest = rest.substr(end);
        ++depth;
        if (const auto known = by_json_.find(at); known != by_json_.end()) {
            nearest = known->second;
            step.clear();
        }
    }
    if (step.empty()) return nearest;
    if (!is_schema(*at)) return unresolved(from, reference, "it does not lead to a schema");
    // A schema under an unknown keyword: only the reference makes it one.
    const auto id = static_cast<PlaceId>(places_.size());
    GANTRY_CHECK(walk(Pending{at, nearest, std::move(step), places_[nearest].resource, depth}));
    return id;
}

}  // namespace gantry::schema
