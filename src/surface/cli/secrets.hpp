#pragma once

#include <memory>
#include <string>

#include "base/redact/redactor.hpp"
#include "surface/cli/options.hpp"

namespace gantry::cli {

/// Confidential values from the command line: values of headers and environment variables, the query of the URL, the
/// client secret. A server may repeat them; a trace must not.
class Secrets {
public:
    explicit Secrets(const Options& options);

    /// The text with every occurrence, in any encoding the redactor knows, replaced by "***".
    std::string masked(std::string text) const { return redactor_->masked(std::move(text)); }

private:
    std::shared_ptr<Redactor> redactor_;  // shared by copies: handlers are copied
};

}  // namespace gantry::cli
