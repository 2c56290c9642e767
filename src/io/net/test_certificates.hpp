#pragma once

#include <memory>
#include <string>
#include <vector>

namespace gantry::net::testing {

/// PEM texts.
struct TestCertificate {
    std::string certificate;
    std::string key;
};

/// A certificate authority for one test run. Throws if OpenSSL fails, which fails the test.
class TestAuthority {
public:
    explicit TestAuthority(const std::string& name = "Test CA");
    ~TestAuthority();

    const std::string& certificate() const noexcept { return pem_; }

    /// For DNS names and IP addresses ("127.0.0.1" becomes an IP entry).
    TestCertificate issue(const std::vector<std::string>& hosts, bool expired = false) const;

private:
    struct State;
    std::unique_ptr<State> state_;
    std::string pem_;
};

/// A self-signed certificate.
TestCertificate self_signed(const std::vector<std::string>& hosts);

}  // namespace gantry::net::testing
