#pragma once

#include <string>

#include "gantry/client.hpp"

namespace conformance {

/// What the official suite tells its client under test through the environment.
struct Setting {
    std::string url;
    std::string scenario;
    gantry::Era era = gantry::Era::kAuto;
    gantry::Json context;
};

/// Plays the scenario. An Error is a failed client; some scenarios expect exactly that.
gantry::Result<void> play(const Setting& setting);

/// The credentials the scenario hands out, and a "browser" that follows the authorization URL by itself.
gantry::Authorization authorization_for(const Setting& setting);

}  // namespace conformance
