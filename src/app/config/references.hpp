#pragma once

#include "app/config/faults.hpp"
#include "gateway/secrets/expand.hpp"

namespace gantry::app {

/// Replaces the references in every text of the file except those of servers, which are resolved when connecting.
/// References in `secrets`, which configures the lookup itself, are looked up in the environment only. An unset one is
/// a fault.
void resolve_references(Json& root, const gateway::Lookup& lookup, Faults& faults);

/// Reports references of servers that are not closed; whether they resolve is determined when connecting.
void check_server_references(const Json& root, Faults& faults);

}  // namespace gantry::app
