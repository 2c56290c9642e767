#include "base/schema/pattern.hpp"

#include <re2/re2.h>

#include "base/try.hpp"

namespace gantry::schema {
namespace {

// Memory limit for the compiled program and the lazily built automata of one expression.
constexpr std::int64_t kMaxMemory = 4 << 20;
constexpr std::size_t kMaxPatternBytes = 16 << 10;

}  // namespace

Pattern::Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view pattern) {
    if (pattern.size() > kMaxPatternBytes) return fail(ErrorCode::kLimit, "regular expression is longer than 16 KiB");
    GANTRY_TRY(const std::string translated, ecma_to_re2(pattern));
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_max_mem(kMaxMemory);
    options.set_never_capture(true);
    auto regex = std::make_unique<re2::RE2>(translated, options);
    if (!regex->ok()) {
        const bool large = regex->error_code() == re2::RE2::ErrorPatternTooLarge;
        return fail(large ? ErrorCode::kLimit : ErrorCode::kSchema,
                    large ? "regular expression is too large when compiled"
                          : "not a regular expression: " + std::string(regex->error()));
    }
    Pattern out;
    out.regex_ = std::move(regex);
    // Most expressions in schemas have fewer than a hundred instructions.
    out.weight_ = out.size() < 128 ? 0 : out.size() / 16;
    return out;
}

Pattern Pattern::matching_everything() {
    return Pattern();
}

bool Pattern::found_in(std::string_view text) const {
    return !regex_ || re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

std::size_t Pattern::size() const {
    return regex_ ? static_cast<std::size_t>(regex_->ProgramSize()) : 0;
}

}  // namespace gantry::schema
