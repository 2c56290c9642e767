#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/child.hpp"

namespace gantry::testing {

/// A real service from tests/services (keycloak, kafka, consul) that runs as long as the object lives.
class Service {
public:
    /// Waits until it answers. `env` is passed to the start script.
    explicit Service(const std::string& name, std::vector<std::pair<std::string, std::string>> env = {});
    /// Makes the start script end the service and remove its files.
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// Its address: a URL, for Kafka HOST:PORT.
    const std::string& url() const noexcept { return url_; }
    /// Why it is not available; empty when it is. See GANTRY_NEEDS_SERVICE.
    const std::string& missing() const noexcept { return missing_; }

private:
    std::unique_ptr<Child> child_;
    std::string url_;
    std::string missing_;
};

/// True under GANTRY_REQUIRE_SERVICES=1, which CI sets: a missing service is then a failure.
bool services_required();

}  // namespace gantry::testing

/// Skips the test with the given reason (a string; empty: continues), or fails it where services are required.
#define GANTRY_NEEDS_SERVICE(reason)                               \
    if (const std::string why = (reason); !why.empty()) {          \
        if (::gantry::testing::services_required()) FAIL() << why; \
        GTEST_SKIP() << why;                                       \
    }                                                              \
    static_assert(true)
