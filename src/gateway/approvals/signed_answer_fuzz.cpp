#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "gateway/approvals/approval_text.hpp"
#include "gateway/approvals/signed_answer.hpp"

// Input: a signature and a body, separated by a line break. A body that is not signed with the secret is never
// accepted; the same body with a valid signature is parsed to its end.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gantry::gateway;
    constexpr std::string_view kSecret = "a secret nobody guesses";
    constexpr std::int64_t kNow = 1'700'000'000;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(text.find('\n'), text.size());
    const std::string_view signature = text.substr(0, line);
    const std::string_view body = text.substr(std::min(line + 1, text.size()));
    if (read_signed_answer(kSecret, body, signature, kNow)) std::abort();
    const auto answer = read_signed_answer(kSecret, body, sign_webhook(kSecret, body, kNow), kNow);
    if (answer && !is_approval_id(answer->id)) std::abort();
    return 0;
}
