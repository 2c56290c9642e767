#pragma once

#include <string>

#include "gantry/error.hpp"

namespace conformance {

/// The suite's idea of a browser: GET the authorization URL and answer where it redirects to.
gantry::Result<std::string> visit(const std::string& authorization_url);

}  // namespace conformance
