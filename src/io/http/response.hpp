#pragma once

#include <memory>
#include <string_view>

#include "io/http/body.hpp"
#include "io/http/client.hpp"
#include "io/http/pool.hpp"

namespace gantry::http {

/// A response being received: its head, its connection, and how its body ends.
class Response::Impl {
public:
    /// Reuses one recycled on this thread if possible: its buffers already have a suitable size.
    static Handle make(std::shared_ptr<const Destination> from, Duration idle_timeout);
    /// Head and rules are known, `lease` is positioned after the head. If the body is already complete, the
    /// connection is returned at once.
    void begin(Pool::Lease lease);
    /// Ends the rest of the response and resets this.
    void retire() noexcept;

    Task<Result<std::optional<std::string_view>>> read(const Context& ctx);
    Result<std::optional<std::string_view>> take();
    std::size_t buffered() const noexcept { return lease_ ? lease_->input.bytes().size() : 0; }
    void abort() noexcept;

    ResponseHead head;
    ResponseRules rules;
    std::shared_ptr<const Destination> from;
    std::string peer;
    BodyReader body;

private:
    void end_body();
    Error broken(const Context& ctx, Error cause);

    Pool::Lease lease_;
    Duration idle_timeout_{};
    bool aborted_ = false;
};

}  // namespace gantry::http
