#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace gantry::schema {

/// A URI of any scheme split at its delimiters, which are not included. Flags distinguish an empty
/// part from an absent one.
struct UriParts {
    std::string_view scheme, authority, path, query, fragment;
    bool has_authority = false, has_query = false, has_fragment = false;
};
UriParts split_uri(std::string_view uri);

/// RFC 3986 section 5.2: resolves `reference` against `base`. Supports any scheme,
/// urn: and file: included, because `$id` may use any of them.
std::string resolve_uri(std::string_view base, std::string_view reference);

/// "x#y" -> {"x", "y"}.
std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri);

/// Invalid escapes are kept.
std::string percent_decode(std::string_view text);

}  // namespace gantry::schema
