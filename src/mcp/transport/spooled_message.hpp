#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json/incremental.hpp"
#include "base/json/salvage.hpp"
#include "base/json/surrogates.hpp"
#include "gantry/error.hpp"
#include "io/temp_file.hpp"

namespace gantry::mcp {

/// One message too large to hold in memory: spooled to a temporary file and validated on the way.
class SpooledMessage {
public:
    /// Bytes beyond `max_bytes` are validated but not stored, so that the id can still be found. Lone surrogates are
    /// replaced with U+FFFD unless `strict`.
    static Result<std::unique_ptr<SpooledMessage>> create(std::size_t max_bytes, bool strict = false);
    SpooledMessage(const SpooledMessage&) = delete;
    SpooledMessage& operator=(const SpooledMessage&) = delete;

    void append(std::string_view bytes);
    /// End of the message.
    void finish();

    /// Why it is unusable, if it is: kParse, kLimit, or the file failed. The envelope then ends there.
    const std::optional<Error>& fault() const noexcept { return fault_; }
    const json::PassedEnvelope& envelope() const noexcept { return scanner_.envelope(); }
    /// Whether it is unusable because it is too long.
    bool oversized() const noexcept { return oversized_; }
    /// What could be salvaged of a message that is not JSON; null unless that is the fault.
    const json::EnvelopeSalvage* salvage() const noexcept { return salvage_.get(); }
    /// Bytes received, whether stored or not.
    std::size_t size() const noexcept { return size_; }

    /// Reads the bytes at `offset`, as many as available and fit.
    Result<std::size_t> read(std::size_t offset, std::span<char> into) const { return file_.read(offset, into); }
    /// The whole message, for callers that need it in memory.
    Result<std::string> load() const;

private:
    SpooledMessage(TempFile file, std::size_t max_bytes, bool strict);
    void check(std::string_view bytes, std::string_view& passed);
    void begin_salvage(std::string_view bytes);

    TempFile file_;
    std::size_t max_bytes_;
    std::size_t size_ = 0;
    json::IncrementalScanner scanner_;
    json::SurrogateFilter filter_;
    std::unique_ptr<json::EnvelopeSalvage> salvage_;  // set once it is known not to be JSON
    bool salvage_complete_ = false;                   // it covers the message from its beginning
    bool oversized_ = false;
    std::optional<Error> fault_;
};

}  // namespace gantry::mcp
