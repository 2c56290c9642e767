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

/// One message too large to hold: kept in a temporary file, checked while it goes there.
class SpooledMessage {
public:
    /// Bytes beyond `max_bytes` are checked but not kept, so that the id can be learnt all the same. Lone surrogates
    /// are replaced with U+FFFD unless `strict`.
    static Result<std::unique_ptr<SpooledMessage>> create(std::size_t max_bytes, bool strict = false);
    SpooledMessage(const SpooledMessage&) = delete;
    SpooledMessage& operator=(const SpooledMessage&) = delete;

    void append(std::string_view bytes);
    /// No more will come.
    void finish();

    /// Why it cannot be used, if it cannot: kParse, kLimit, or the file failed. The envelope is then what was seen up
    /// to there.
    const std::optional<Error>& fault() const noexcept { return fault_; }
    const json::PassedEnvelope& envelope() const noexcept { return scanner_.envelope(); }
    /// Whether the fault is that it is longer than allowed.
    bool oversized() const noexcept { return oversized_; }
    /// What can be told of a message that is no JSON; null unless that is the fault.
    const json::EnvelopeSalvage* salvage() const noexcept { return salvage_.get(); }
    /// Bytes that came, kept or not.
    std::size_t size() const noexcept { return size_; }

    /// The bytes at `offset`, as many as there are and fit.
    Result<std::size_t> read(std::size_t offset, std::span<char> into) const { return file_.read(offset, into); }
    /// All of it, for whoever cannot do with less.
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
    std::unique_ptr<json::EnvelopeSalvage> salvage_;  // once it is no JSON
    bool salvage_complete_ = false;                   // it has seen the message from its beginning
    bool oversized_ = false;
    std::optional<Error> fault_;
};

}  // namespace gantry::mcp
