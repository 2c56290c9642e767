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
    /// For each server, to be connected and listed.
    Duration timeout = seconds(60);
    bool json = false;
};

/// What became of one server.
struct Finding {
    std::string server;
    bool healthy = false;
    /// What is wrong, and what to do about it; empty when healthy.
    std::string problem = {};
    std::string advice = {};
    /// What is odd but works.
    std::vector<std::string> notes = {};
    std::size_t tools = 0;
    std::size_t prompts = 0;
    std::size_t resources = 0;
    std::int64_t milliseconds = 0;
};

/// Tries every server as the gateway would: looks up its secrets, connects, lists. Calls nothing; when it returns
/// nothing of it runs any more. In the order of the configuration; nothing in it holds a secret. `on_finding` sees each
/// result as soon as it is there.
Task<std::vector<Finding>> examine(const Context& ctx, Loop& loop, const Config& config, Duration timeout,
                                   Redactor& redactor, std::function<void(const Finding&)> on_finding = {});

/// What to do about a server with this trouble.
std::string advice_for(const gateway::McpServerSpec& server, std::string_view trouble);

/// The command: 0 when all is well, 2 for a broken file, 3 when a server cannot be used.
int doctor(const DoctorRequest& asked);

}  // namespace gantry::app
