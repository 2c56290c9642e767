#include "mcp/transport/server_text.hpp"

#include <string>
#include <utility>

#include "base/json/surrogates.hpp"
#include "base/try.hpp"

namespace gantry::mcp {
namespace {

/// Larger requests and notifications are rejected before building a tree: only answers may be large.
constexpr std::size_t kMaxUnsolicited = 16u << 20;

Result<void> check_size(std::string_view text) {
    if (text.size() <= kMaxUnsolicited) return {};
    json::EnvelopeSalvage salvage;
    salvage.feed(text);
    if (salvage.is_answer()) return {};
    return fail(ErrorCode::kLimit, "a request or notification of " + std::to_string(text.size()) + " bytes");
}

template <class Decoded, class Decode>
Result<Decoded> decode_leniently(std::string_view text, bool strict, Decode decode) {
    GANTRY_CHECK(check_size(text));
    Result<Decoded> decoded = decode(text);
    if (decoded || strict || !json::is_lone_surrogate(decoded.error())) return decoded;
    std::string replaced(text);
    if (!json::replace_lone_surrogates(replaced)) return decoded;
    return decode(std::string_view(replaced));
}

}  // namespace

std::optional<RequestId> salvaged_id(const json::EnvelopeSalvage& salvage) {
    const auto id = Json::parse(salvage.id());
    if (!id) return std::nullopt;
    if (const auto number = id->as_int()) return RequestId(*number);
    if (const std::string* text = id->if_string()) return RequestId(*text);
    return std::nullopt;
}

Result<Message> ServerText::decode(std::string_view text) const {
    return decode_leniently<Message>(text, strict,
                                     [this](std::string_view one) { return decode_message(one, limits); });
}

Result<std::vector<Message>> ServerText::decode_batch(std::string_view text) const {
    return decode_leniently<std::vector<Message>>(
        text, strict, [this](std::string_view one) { return decode_messages(one, limits); });
}

Error unreadable(const Error& why) {
    return Error(why.code(), "the server's answer cannot be read: " + why.message()).retryable(false);
}

std::optional<Incoming> unreadable_answer(std::string_view text, const Error& why) {
    json::EnvelopeSalvage salvage;
    salvage.feed(text);
    if (!salvage.is_answer()) return std::nullopt;
    return Incoming{.message = {}, .on_stream_of = salvaged_id(salvage), .lost = unreadable(why)};
}

bool is_unreadable_answer_to(std::string_view text, const RequestId& id) {
    json::EnvelopeSalvage salvage;
    salvage.feed(text);
    if (!salvage.is_answer()) return false;
    const auto found = salvaged_id(salvage);
    return !found || *found == id;
}

}  // namespace gantry::mcp
