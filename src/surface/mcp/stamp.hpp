#pragma once

#include <string>

#include "base/json/scan.hpp"
#include "base/json/splice.hpp"

namespace gantry::surface {

/// What this gateway says about itself in the `_meta` of modern results: the JSON of an Implementation.
struct Stamp {
    std::string server_info;
};

/// A `_meta` that says who answers and nothing else.
std::string stamped_meta(const Stamp& stamp);
/// Makes a result's `_meta`, which is an object, say that we answer, whoever stands behind.
void stamp_meta(json::Splice& splice, const json::ResultView& result, const Stamp& stamp);
/// A result's `_meta` says who answers and nothing else.
bool is_stamp_alone(const json::ResultView& result);
/// Takes out of it what legacy clients do not know, and itself where nothing is left.
void unstamp_meta(json::Splice& splice, const json::ResultView& result);

}  // namespace gantry::surface
