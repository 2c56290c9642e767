#pragma once

// All MCP messages as plain value types.
#include "gantry/mcp/content.hpp"
#include "gantry/mcp/elicitation.hpp"
#include "gantry/mcp/input.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/notifications.hpp"
#include "gantry/mcp/prompts.hpp"
#include "gantry/mcp/resources.hpp"
#include "gantry/mcp/revision.hpp"
#include "gantry/mcp/roots.hpp"
#include "gantry/mcp/sampling.hpp"
#include "gantry/mcp/tasks.hpp"
#include "gantry/mcp/tools.hpp"
#include "gantry/mcp/values.hpp"
