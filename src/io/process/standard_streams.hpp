#pragma once

#include <memory>

#include "gantry/error.hpp"
#include "io/stream.hpp"

namespace gantry {
class Loop;
}

namespace gantry::process {

/// This process's own stdin and stdout as one stream, for a program that speaks a protocol on them. Nothing else may
/// use them meanwhile. Other processes that share them (a terminal's shell) are not affected.
Result<std::unique_ptr<Stream>> standard_streams(Loop& loop);

}  // namespace gantry::process
