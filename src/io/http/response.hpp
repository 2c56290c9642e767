#pragma once

#include <memory>
#include <string_view>

#include "io/http/body.hpp"
#include "io/http/client.hpp"
#include "io/http/pool.hpp"

namespace gantry::http {

/// A response in progress: its head, the connection it comes on, and how its body ends.
class Response::Impl {
public:
    /// One of this thread's used ones when there is one: their buffers have the right size by now.
    static Handle make(std::shared_ptr<const Destination> from, Duration idle_timeout);
    /// Head and rules are known, `lease` stands behind the head. A body that is already over gives the
    /// connection back at once.
    void begin(Pool::Lease lease);
    /// Ends what is left of the response and forgets it.
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
