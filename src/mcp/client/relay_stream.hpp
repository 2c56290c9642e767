#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/json/incremental.hpp"
#include "base/json/surrogates.hpp"
#include "mcp/client/relay.hpp"

namespace gantry::mcp {

/// The error for a result of more than `limit` bytes. Not retryable: the result would be as large again.
Error result_too_large(std::size_t limit);

/// Extracts the value of `result` from an answer passed piece by piece, and validates the whole answer meanwhile.
class ResultCutter {
public:
    /// `id`: the expected id of the answer. Lone surrogates are replaced with U+FFFD unless `strict`.
    ResultCutter(std::int64_t id, std::size_t max_result_bytes, bool strict = false);

    /// The part of `piece` that belongs to the result; may be empty. Valid until the next call if lone surrogates
    /// were replaced, otherwise as long as `piece`.
    Result<std::string_view> feed(std::string_view piece);
    /// End of the answer: an error unless it was complete and valid.
    Result<void> finish();

    /// Whether the first byte of the result has passed.
    bool begun() const noexcept { return scanner_.envelope().result.has_value(); }
    /// kProtocol, with the reason, if what has passed can no longer be an answer with a result.
    Result<void> still_a_result() const;
    /// It is an error answer, which is held, not streamed.
    bool is_error() const noexcept { return !begun() && scanner_.envelope().error.has_value(); }

private:
    json::IncrementalScanner scanner_;
    json::SurrogateFilter filter_;
    std::int64_t id_;
    std::size_t max_result_bytes_;
    std::size_t passed_ = 0;  // of the result
};

}  // namespace gantry::mcp
