#pragma once

#include <string>

#include "app/setup/report.hpp"

namespace gantry::app {

struct CheckRequest {
    std::string file = kUsualFile;
    bool json = false;
};

/// Reads the file and prints a summary, or all of its faults; starts nothing. Returns the exit code.
int check(const CheckRequest& asked);

}  // namespace gantry::app
