#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace gantry {

/// What must never leave the process, and the one place that takes it out of texts that do: log lines, events, traces,
/// errors, answers of our own. Any thread.
///
/// Every value is known in the forms it usually takes on: as it is, inside JSON (also twice), in a URL, in hexadecimal
/// digits, and in base64 at any place of what was encoded, as HTTP Basic does.
class Redactor {
public:
    /// Shorter values are words that are found everywhere; they are not kept.
    static constexpr std::size_t kShortest = 4;
    /// Values at most; the oldest makes room.
    static constexpr std::size_t kMost = 1000;
    /// A longer value is kept in pieces of this size.
    static constexpr std::size_t kLongest = 64u << 10;

    Redactor();
    ~Redactor();
    Redactor(const Redactor&) = delete;
    Redactor& operator=(const Redactor&) = delete;

    void add(std::string_view secret);

    /// `text` with "***" in the place of every secret; longer ones first, so that nothing of them is left.
    std::string masked(std::string text) const;
    /// The same without a copy where there is nothing to do.
    bool touches(std::string_view text) const;

    std::size_t size() const;

private:
    class Patterns;
    std::shared_ptr<const Patterns> patterns() const;

    mutable std::mutex mutex_;
    std::deque<std::string> values_;
    mutable std::shared_ptr<const Patterns> patterns_;  // never changed, only replaced; null: not made of `values_` yet
};

}  // namespace gantry
