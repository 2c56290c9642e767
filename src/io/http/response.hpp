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
    /// `lease` stands behind a final head. A body that is already over gives the connection back at once.
    Impl(Pool::Lease lease, std::shared_ptr<const Destination> from, ResponseHead head, ResponseRules rules,
         Duration idle_timeout);
    ~Impl();

    Task<Result<std::optional<std::string_view>>> read(const Context& ctx);
    Result<std::optional<std::string_view>> take();
    void abort() noexcept;

    ResponseHead head;
    ResponseRules rules;
    std::shared_ptr<const Destination> from;
    BodyReader body;

private:
    void end_body();
    Error broken(const Context& ctx, Error cause);

    Pool::Lease lease_;
    Duration idle_timeout_;
    bool aborted_ = false;
};

}  // namespace gantry::http
