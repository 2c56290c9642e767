#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/setup/report.hpp"
#include "base/redact/redactor.hpp"
#include "gantry/json.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {
class Loop;
}

namespace gantry::app {

struct DoctorRequest {
    std::string file = kUsualFile;
    /// Per server, for connecting and listing.
    Duration timeout = seconds(60);
    bool json = false;
};

/// The result for one server.
struct Finding {
    std::string server;
    bool healthy = false;
    /// What is wrong and what to do about it; empty when healthy.
    std::string problem = {};
    std::string advice = {};
    /// Warnings: unusual, but working.
    std::vector<std::string> notes = {};
    std::size_t tools = 0;
    std::size_t prompts = 0;
    std::size_t resources = 0;
    std::int64_t milliseconds = 0;
};

/// Checks every server as the gateway would use it: looks up its secrets, connects, lists. Makes no calls and leaves
/// nothing running. Results are in the order of the configuration and contain no secrets. `on_finding` receives each
/// result as soon as it is available.
Task<std::vector<Finding>> examine(const Context& ctx, Loop& loop, const Config& config, Duration timeout,
                                   Redactor& redactor, std::function<void(const Finding&)> on_finding = {});

/// Advice for a server with this problem.
std::string advice_for(const gateway::McpServerSpec& server, std::string_view trouble);

/// The command: returns 0 when all is well, 2 for an invalid file, 3 when a server cannot be used.
int doctor(const DoctorRequest& asked);

}  // namespace gantry::app
