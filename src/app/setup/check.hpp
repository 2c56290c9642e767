#pragma once

#include <string>

#include "app/setup/report.hpp"

namespace gantry::app {

struct CheckRequest {
    std::string file = kUsualFile;
    bool json = false;
};

/// Reads the file and tells what it means or all that is wrong with it; starts nothing. Returns the exit code.
int check(const CheckRequest& asked);

}  // namespace gantry::app
