#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/schema/dialect.hpp"
#include "base/schema/schema.hpp"

namespace gantry::schema {

/// Number of a schema among all known ones; also the number of its compiled node.
using PlaceId = std::uint32_t;
inline constexpr PlaceId kNoPlace = ~PlaceId{0};

/// The location of a schema: its document, parent and step from there.
struct Place {
    const Json* json = nullptr;  ///< valid while compiling
    PlaceId parent = kNoPlace;   ///< none for the root of a document
    std::string step;            ///< "/properties/name", or the document's URI for its root
    std::uint32_t resource = 0;
};

/// A schema with its own identity (`$id` or a whole document), the unit of base URI,
/// anchors and dialect.
struct Resource {
    std::string uri;
    PlaceId root = kNoPlace;
    Dialect dialect;
    std::map<std::string, PlaceId, std::less<>> anchors;
    std::map<std::string, PlaceId, std::less<>> dynamic_anchors;
};

/// Every reachable schema of every document, by identity, anchor and pointer.
/// Documents come from the options or are built in; they are indexed on first use.
class Index {
public:
    explicit Index(const CompileOptions& options) : options_(options) {}

    Result<PlaceId> add_root(const Json& schema);
    /// The target of `reference` in a schema at `from`.
    Result<PlaceId> resolve(PlaceId from, std::string_view reference);
    /// The place of a subschema, which must be where its keyword has subschemas.
    PlaceId place_of(const Json& schema) const { return by_json_.at(&schema); }

    const Place& place(PlaceId id) const { return places_[id]; }
    const Resource& resource(std::uint32_t id) const { return resources_[id]; }
    std::size_t size() const noexcept { return places_.size(); }
    std::size_t resource_count() const noexcept { return resources_.size(); }
    /// "#/properties/name", with its URI in front unless in the root document.
    std::string describe(PlaceId id) const;
    std::vector<Place> take_places() &&;

private:
    struct Pending {
        const Json* json;
        PlaceId parent;
        std::string step;
        std::uint32_t resource;
        std::size_t depth;
    };

    Result<PlaceId> add_document(std::string uri, const Json& document, Dialect inherited);
    Result<void> walk(Pending first);
    Result<void> enter(Pending& at, PlaceId id);
    Result<void> open_resource(Pending& at, PlaceId id, std::string uri);
    Result<void> queue_children(const Pending& at, PlaceId id);
    Result<void> queue_keyword(const KeywordInfo& info, const std::string& name, const Json& value, const Pending& at,
                               PlaceId id);
    Result<std::uint32_t> resource_at(const std::string& uri, std::string_view reference, PlaceId from);
    Result<PlaceId> follow_pointer(std::uint32_t resource, const std::string& pointer, std::string_view reference,
                                   PlaceId from);
    std::unexpected<Error> unresolved(PlaceId from, std::string_view reference, std::string_view why) const;

    const CompileOptions& options_;
    Dialect root_dialect_;
    std::vector<Place> places_;
    std::vector<Resource> resources_;
    std::map<std::string, std::uint32_t, std::less<>> by_uri_;
    std::unordered_map<const Json*, PlaceId> by_json_;
    std::vector<Pending> pending_;
};

/// "a/b~c" -> "a~1b~0c".
std::string escape_token(std::string_view key);
/// The place's keyword path prefix, from the steps of its ancestors.
std::string describe_place(const std::vector<Place>& places, PlaceId id);

}  // namespace gantry::schema
