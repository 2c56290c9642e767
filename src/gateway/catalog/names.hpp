#pragma once

#include <string>
#include <string_view>

// How public names are built. Pure and stable: the same arguments give the same name in every process and version,
// since agents' prompts, allow lists and users' habits depend on them.

namespace gantry::gateway {

/// The limit of language model APIs: 64 of [A-Za-z0-9_-].
inline constexpr std::size_t kMaxName = 64;
/// The limit of MCP: 128 of [A-Za-z0-9_./-].
inline constexpr std::size_t kMaxOwnName = 128;

/// `{prefix}_{own}` with every other ASCII character replaced by `_`. A name that is too long, or has non-ASCII
/// characters that `_` would make ambiguous, becomes a hashed_name. Without a prefix a name that MCP allows is left
/// unchanged.
std::string plain_name(std::string_view prefix, std::string_view source, std::string_view own);

/// A readable beginning of `name`, `_`, and eight hexadecimal digits derived from source and own name.
std::string hashed_name(std::string_view name, std::string_view source, std::string_view own);

/// For the later of two sources that want `name`: `{name}_{source}`, or hashed_name if that is too long.
std::string suffixed_name(std::string_view name, std::string_view source, std::string_view own);

/// Prefix for the later of two sources with the same URI: "via-github+" turns "file:///x" into "via-github+file:///x".
/// The result is still a URI, the tag depends on the source's name alone, and no two sources share one.
std::string uri_tag(std::string_view source);
/// The tag at the beginning of a URI, including "+"; empty: it has none.
std::string_view tag_of(std::string_view uri) noexcept;

}  // namespace gantry::gateway
