#pragma once

#include <string>

#include "base/json/scan.hpp"
#include "base/json/splice.hpp"

namespace gantry::surface {

/// The gateway's identity in the `_meta` of modern results: the JSON of an Implementation.
struct Stamp {
    std::string server_info;
};

/// A `_meta` that contains only the gateway's identity.
std::string stamped_meta(const Stamp& stamp);
/// Sets the gateway's identity in a result's `_meta`, which is an object, in place of the server's.
void stamp_meta(json::Splice& splice, const json::ResultView& result, const Stamp& stamp);
/// Returns whether a result's `_meta` contains only an identity.
bool is_stamp_alone(const json::ResultView& result);
/// Removes the members that legacy clients do not know from `_meta`, and `_meta` itself if nothing is left.
void unstamp_meta(json::Splice& splice, const json::ResultView& result);

}  // namespace gantry::surface
