#pragma once

#include <string_view>

#include "gantry/json.hpp"

namespace gantry::schema {

inline constexpr std::string_view k2020Uri = "https://json-schema.org/draft/2020-12/schema";
inline constexpr std::string_view kDraft7Uri = "http://json-schema.org/draft-07/schema";
/// Not its name, but often written.
inline constexpr std::string_view kDraft7HttpsUri = "https://json-schema.org/draft-07/schema";

/// The metaschema document of that URI (without fragment); null when it is none of ours.
const Json* builtin_document(std::string_view uri);

}  // namespace gantry::schema
