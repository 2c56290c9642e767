#include "mcp/transport/streamable_http.hpp"

#include <utility>

#include "base/try.hpp"
#include "mcp/transport/streamable_connection.hpp"

namespace gantry::mcp {

StreamableHttpTransport::StreamableHttpTransport(StreamableHttpConfig config) : config_(std::move(config)) {}

Task<Result<std::unique_ptr<Connection>>> StreamableHttpTransport::connect(const Context& ctx) {
    GANTRY_CO_CHECK(ctx.check());
    GANTRY_CO_CHECK(check_config(config_.http));
    co_return Result<std::unique_ptr<Connection>>(std::make_unique<StreamableConnection>(config_));
}

std::string StreamableHttpTransport::describe() const {
    return "http " + without_query(config_.http.url.text());
}

}  // namespace gantry::mcp
