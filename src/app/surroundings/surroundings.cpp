#include "app/surroundings/surroundings.hpp"

#include "app/surroundings/configured_server.hpp"
#include "app/surroundings/running_gateway.hpp"

namespace gantry::app {

cli::Surroundings surroundings() {
    return {.gateway_url = &running_gateway_url,
            .connect_configured = &connect_configured,
            .names = &running_gateway_names};
}

}  // namespace gantry::app
