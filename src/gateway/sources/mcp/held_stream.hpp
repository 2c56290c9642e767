#pragma once

#include <memory>
#include <utility>

#include "gateway/ports/output.hpp"
#include "gateway/ports/source.hpp"

namespace gantry::gateway {

/// Keeps the source alive while its answer is read, because the bytes arrive over its connections.
class HeldStream final : public OutputStream {
public:
    HeldStream(std::shared_ptr<Source> source, std::unique_ptr<OutputStream> stream)
        : source_(std::move(source)), stream_(std::move(stream)) {}

    Task<Result<std::optional<std::string_view>>> next(const Context& ctx) override { return stream_->next(ctx); }

private:
    std::shared_ptr<Source> source_;
    std::unique_ptr<OutputStream> stream_;
};

}  // namespace gantry::gateway
