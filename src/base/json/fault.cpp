#include "base/json/fault.hpp"

#include <string>

namespace gantry::json {

Error to_error(const Fault& fault) {
    return Error(fault.code, std::string(fault.reason) + " at byte " + std::to_string(fault.offset)).retryable(false);
}

}  // namespace gantry::json
