#include "support/service.hpp"
#include "support/paths.hpp"

#include <signal.h>

#include <cstdlib>
#include <string_view>

namespace gantry::testing {

namespace {
constexpr int kNotInstalled = 77;
constexpr std::chrono::minutes kStartLimit{5};
}  // namespace

bool services_required() {
    const char* value = std::getenv("GANTRY_REQUIRE_SERVICES");
    return value != nullptr && std::string_view(value) == "1";
}

Service::Service(const std::string& name, std::vector<std::pair<std::string, std::string>> env) {
    child_ = std::make_unique<Child>(Child::Options{
        .command = {gantry::test_support::source_path("tests/services/") + name}, .env = std::move(env)});
    constexpr std::string_view kReady = "ready ";
    if (child_->wait_for_output(kReady, kStartLimit)) {
        // The line may not have arrived yet.
        static_cast<void>(child_->wait_for_output("\n", std::chrono::seconds(10)));
        const std::string& out = child_->out();
        const auto at = out.find(kReady) + kReady.size();
        url_ = out.substr(at, out.find('\n', at) - at);
        return;
    }
    const auto code = child_->wait(std::chrono::seconds(10));
    missing_ = code == kNotInstalled ? child_->out() : name + " does not start: " + child_->out() + child_->err();
    if (code != kNotInstalled) ADD_FAILURE() << missing_;
}

Service::~Service() {
    if (!child_ || !child_->running()) return;
    ::kill(child_->pid(), SIGTERM);
    static_cast<void>(child_->wait(std::chrono::seconds(30)));
}

}  // namespace gantry::testing
