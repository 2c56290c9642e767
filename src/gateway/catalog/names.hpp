#pragma once

#include <string>
#include <string_view>

// How public names are made. Pure and stable: the same arguments give the same name in every process and version, since
// agents' prompts, allow lists and people's habits hold on to them.

namespace gantry::gateway {

/// What the APIs of language models take: 64 of [A-Za-z0-9_-].
inline constexpr std::size_t kMaxName = 64;
/// What MCP takes: 128 of [A-Za-z0-9_./-].
inline constexpr std::size_t kMaxOwnName = 128;

/// `{prefix}_{own}` with every other ASCII character as `_`. Too long, or with characters beyond ASCII that `_` would
/// make alike: see hashed_name. Without a prefix a name that MCP allows stays exactly as it is.
std::string plain_name(std::string_view prefix, std::string_view source, std::string_view own);

/// A readable head of `name`, `_`, and eight hexadecimal digits that follow from source and own name.
std::string hashed_name(std::string_view name, std::string_view source, std::string_view own);

/// For the later of two sources that want `name`: `{name}_{source}`, or hashed_name where that is too long.
std::string suffixed_name(std::string_view name, std::string_view source, std::string_view own);

/// For the later of two sources with one URI, in front of the URI: "via-github+" makes
/// "via-github+file:///x" of "file:///x". Still a URI, follows from the source's name alone, and no two sources share
/// one.
std::string uri_tag(std::string_view source);
/// The tag of a URI that begins with one, "+" included; empty: it does not.
std::string_view tag_of(std::string_view uri) noexcept;

}  // namespace gantry::gateway
