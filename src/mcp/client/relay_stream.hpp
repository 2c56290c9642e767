#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/json/incremental.hpp"
#include "base/json/surrogates.hpp"
#include "mcp/client/relay.hpp"

namespace gantry::mcp {

/// A result of more than `limit` bytes. The same request would have it again.
Error result_too_large(std::size_t limit);

/// Cuts the value of `result` out of an answer that passes piece by piece, and checks the whole answer meanwhile.
class ResultCutter {
public:
    /// `id`: what the answer's id must be. Lone surrogates are replaced with U+FFFD unless `strict`.
    ResultCutter(std::int64_t id, std::size_t max_result_bytes, bool strict = false);

    /// The part of `piece` that belongs to the result; may be empty. Valid until the next call where lone surrogates
    /// had to be replaced, otherwise as long as `piece`.
    Result<std::string_view> feed(std::string_view piece);
    /// The answer is over: an error unless it was a whole and proper one.
    Result<void> finish();

    /// Whether the first byte of the result has passed.
    bool begun() const noexcept { return scanner_.envelope().result.has_value(); }
    /// Whether what has passed can no longer be an answer with a result: kProtocol says why.
    Result<void> still_a_result() const;
    /// An error has begun instead; such an answer is held, not streamed.
    bool is_error() const noexcept { return !begun() && scanner_.envelope().error.has_value(); }

private:
    json::IncrementalScanner scanner_;
    json::SurrogateFilter filter_;
    std::int64_t id_;
    std::size_t max_result_bytes_;
    std::size_t passed_ = 0;  // of the result
};

}  // namespace gantry::mcp
