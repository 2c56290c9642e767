#pragma once

#include "app/config/faults.hpp"
#include "gateway/secrets/expand.hpp"

namespace gantry::app {

/// Replaces the references in every text of the file but those of servers, which are resolved when connecting. Those of
/// `secrets`, which say where others lead, lead to the environment alone. What is not set is a fault.
void resolve_references(Json& root, const gateway::Lookup& lookup, Faults& faults);

/// Faults for references of servers that are not closed; whether they lead anywhere is found out when connecting.
void check_server_references(const Json& root, Faults& faults);

}  // namespace gantry::app
