#pragma once

#include <string_view>

#include "gantry/json.hpp"

namespace gantry::schema {

inline constexpr std::string_view k2020Uri = "https://json-schema.org/draft/2020-12/schema";
inline constexpr std::string_view kDraft7Uri = "http://json-schema.org/draft-07/schema";
/// A common misspelling of the URI.
inline constexpr std::string_view kDraft7HttpsUri = "https://json-schema.org/draft-07/schema";

/// The metaschema with that URI (without fragment); null if it is not built in.
const Json* builtin_document(std::string_view uri);

}  // namespace gantry::schema
