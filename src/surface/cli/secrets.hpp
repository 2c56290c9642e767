#pragma once

#include <string>
#include <vector>

#include "surface/cli/options.hpp"

namespace gantry::cli {

/// What the command line handed over in confidence: values of headers and environment variables, the query of the URL,
/// the client secret. A server may repeat them; a trace must not.
class Secrets {
public:
    explicit Secrets(const Options& options);

    /// The text with every one of them as "***", also in the form JSON gives them.
    std::string masked(std::string text) const;

private:
    void add(const std::string& value);

    std::vector<std::string> values_;  // longest first
};

}  // namespace gantry::cli
