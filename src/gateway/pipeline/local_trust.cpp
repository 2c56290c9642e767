#include "gateway/pipeline/local_trust.hpp"

namespace gantry::gateway {

Task<Result<std::shared_ptr<const Principal>>> LocalTrust::authenticate(const Context&, const Credentials&) {
    co_return Result<std::shared_ptr<const Principal>>(self_);
}

}  // namespace gantry::gateway
