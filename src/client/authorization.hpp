#pragma once

#include <memory>

#include "base/url.hpp"
#include "gantry/authorization.hpp"
#include "gantry/error.hpp"
#include "io/http/authorization.hpp"
#include "io/http/client.hpp"

namespace gantry {

class Runtime;

/// The OAuth client of one HTTP server, as a transport's Authorization. `runtime` and `client` must outlive it.
Result<std::unique_ptr<http::Authorization>> make_authorization(Runtime& runtime, const Authorization& how,
                                                                const Url& server, http::Client& client);

}  // namespace gantry
