#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace gantry::schema {

/// A URI of any scheme cut at its delimiters, none of which is kept. Flags tell an empty
/// part from an absent one.
struct UriParts {
    std::string_view scheme, authority, path, query, fragment;
    bool has_authority = false, has_query = false, has_fragment = false;
};
UriParts split_uri(std::string_view uri);

/// RFC 3986 section 5.2: what `reference` means when read at `base`. Works on any scheme,
/// urn: and file: included, because `$id` may be any of them.
std::string resolve_uri(std::string_view base, std::string_view reference);

/// "x#y" -> {"x", "y"}.
std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri);

/// Broken escapes stay as they are.
std::string percent_decode(std::string_view text);

}  // namespace gantry::schema
