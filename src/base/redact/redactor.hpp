#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace gantry {

/// Removes secrets from all text that leaves the process: log lines, events, traces, errors, our own answers.
/// Thread-safe.
///
/// Every value is recognized in its usual encodings: verbatim, inside JSON (also twice), in a URL, in hexadecimal
/// digits, and in base64 at any alignment, as in HTTP Basic.
class Redactor {
public:
    /// Shorter values are ignored, because they would match ordinary words.
    static constexpr std::size_t kShortest = 4;
    /// Maximum number of values; the oldest is evicted.
    static constexpr std::size_t kMost = 1000;
    /// A longer value is split into pieces of this size.
    static constexpr std::size_t kLongest = 64u << 10;

    Redactor();
    ~Redactor();
    Redactor(const Redactor&) = delete;
    Redactor& operator=(const Redactor&) = delete;

    void add(std::string_view secret);

    /// `text` with every secret replaced by "***"; longest first, so that no remainder is left.
    std::string masked(std::string text) const;
    /// Whether masked() would change the text; does not copy.
    bool touches(std::string_view text) const;

    std::size_t size() const;

private:
    class Patterns;
    std::shared_ptr<const Patterns> patterns() const;

    mutable std::mutex mutex_;
    std::deque<std::string> values_;
    mutable std::shared_ptr<const Patterns> patterns_;  // immutable, only replaced; null: to be built from `values_`
};

}  // namespace gantry
