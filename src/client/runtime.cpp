#include "client/runtime.hpp"

#include <future>

#include "io/net/tls.hpp"

namespace gantry {

namespace {

Task<void> until(Event& stop, Scope& scope) {
    auto waited = co_await stop.wait(Context::background());
    static_cast<void>(waited);  // nothing can end this wait early
    scope.cancel();
    co_await scope.join();
}

}  // namespace

Runtime& Runtime::shared() {
    // Function-local, so that it outlives every static that was made after the first client.
    static const bool tls_is_ready = (net::prepare_tls(), true);
    static_cast<void>(tls_is_ready);
    static Runtime runtime;
    return runtime;
}

Runtime::Runtime() {
    std::promise<void> ready;
    thread_ = std::thread([this, &ready] {
        loop_ = std::make_unique<Loop>();
        stop_ = std::make_unique<Event>();
        scope_ = std::make_unique<Scope>(Context::background());
        loop_->post([&ready] { ready.set_value(); });
        {
            const std::lock_guard lock(gate_->mutex);
            gate_->loop = loop_.get();
        }
        loop_->run_until_done(until(*stop_, *scope_));
        {
            const std::lock_guard lock(gate_->mutex);
            gate_->loop = nullptr;
        }
        scope_.reset();
        stop_.reset();
        loop_.reset();
    });
    ready.get_future().wait();
}

Runtime::~Runtime() {
    loop_->post([this] { stop_->set(); });
    thread_.join();
}

}  // namespace gantry
