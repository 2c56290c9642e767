#include "gateway/events/record.hpp"

#include <charconv>
#include <cstring>

#include "base/hex.hpp"
#include "base/json/text.hpp"

namespace gantry::gateway::events {
namespace {

/// Maximum lengths by Record::Text: a record is bounded whatever a caller sends.
constexpr std::array<std::uint32_t, Record::kTexts> kLongest = {128, 512, 512, 64, 16,    256,
                                                                64,  64,  256, 64, 16384, 16384};

/// Truncates at a character boundary.
std::string_view cut(std::string_view text, std::size_t most) noexcept {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
    return text.substr(0, most);
}

/// All fields except the texts; copied as raw bytes.
struct Numbers {
    Record record;
    std::array<std::uint32_t, Record::kTexts> lengths;
};
static_assert(std::is_trivially_copyable_v<Numbers>);

/// A source's messages may repeat arguments; ours never do.
std::string_view message_of(const Error& error) noexcept {
    return error.code() == ErrorCode::kRpc ? std::string_view() : std::string_view(error.message());
}

/// `key` includes everything before the value, `,"name":`, in one piece, because this runs for every record.
void member(std::string& out, std::string_view key, std::string_view text) {
    if (text.empty()) return;
    out.append(key);
    json::quote_to(text, out);
}

void member(std::string& out, std::string_view key, std::int64_t number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.append(key).append(digits, end);
}

void hex_member(std::string& out, std::string_view key, std::span<const std::uint8_t> bytes) {
    out.append(key) += '"';
    append_hex(out, bytes);
    out += '"';
}

std::string_view word_of(Ending ending) noexcept {
    switch (ending) {
        case Ending::kOk: return "ok";
        case Ending::kToolFailed: return "tool_failed";
        case Ending::kAskedBack: return "asked_back";
        case Ending::kError: return "error";
    }
    return "error";
}

void append_call(const Record& record, std::string& out) {
    const auto& texts = record.texts;
    out.append(R"({"method":")").append(method_of(record.verb)).append("\"");
    member(out, R"(,"name":)", texts[Record::kName]);
    member(out, R"(,"own_name":)", texts[Record::kOwnName]);
    member(out, R"(,"source":)", texts[Record::kSourceKind]);
    member(out, R"(,"server":)", texts[Record::kSource]);
    member(out, R"(,"principal":)", texts[Record::kPrincipal]);
    member(out, R"(,"session_id":)", texts[Record::kSession]);
    member(out, R"(,"client":)", texts[Record::kClient]);
    member(out, R"(,"call_id":)", texts[Record::kCorrelation]);
    member(out, R"(,"outcome":)", word_of(record.ending));
    if (record.ending == Ending::kError) member(out, R"(,"error":)", error_word(record.code));
    if (record.rpc_code != 0) member(out, R"(,"rpc_code":)", record.rpc_code);
    member(out, R"(,"message":)", texts[Record::kMessage]);
    member(out, R"(,"took_us":)", std::chrono::duration_cast<std::chrono::microseconds>(record.took).count());
    member(out, R"(,"attempt":)", std::int64_t{record.attempts});
    member(out, R"(,"arguments_bytes":)", static_cast<std::int64_t>(record.arguments_bytes));
    if (record.has_digest) hex_member(out, R"(,"arguments_digest":)", record.digest);
    if (!texts[Record::kData].empty()) out.append(R"(,"params":)").append(texts[Record::kData]);
    member(out, R"(,"result_bytes":)", static_cast<std::int64_t>(record.result_bytes));
    if (!texts[Record::kResult].empty()) out.append(R"(,"result":)").append(texts[Record::kResult]);
    if (record.trace) {
        hex_member(out, R"(,"trace_id":)", record.trace.trace);
        hex_member(out, R"(,"span_id":)", record.trace.span);
    }
    out.append("}");
}

}  // namespace

std::string_view error_word(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::kInvalidArgument: return "invalid_argument";
        case ErrorCode::kParse: return "parse";
        case ErrorCode::kProtocol: return "protocol";
        case ErrorCode::kSchema: return "schema";
        case ErrorCode::kConnection: return "connection";
        case ErrorCode::kOutcomeUnknown: return "outcome_unknown";
        case ErrorCode::kTimeout: return "timeout";
        case ErrorCode::kCancelled: return "cancelled";
        case ErrorCode::kUnauthorized: return "unauthorized";
        case ErrorCode::kDenied: return "denied";
        case ErrorCode::kNotFound: return "not_found";
        case ErrorCode::kLimit: return "limit";
        case ErrorCode::kRpc: return "rpc";
        case ErrorCode::kTool: return "tool";
        case ErrorCode::kUnsupported: return "unsupported";
        case ErrorCode::kInternal: return "internal";
    }
    return "internal";
}

std::string_view Record::type() const noexcept {
    if (!is_call) return texts[kType];
    const bool failed = ending == Ending::kError || ending == Ending::kToolFailed;
    if (verb == Verb::kCallTool) return failed ? event_type::kToolFailed : event_type::kToolCalled;
    return failed ? event_type::kCallFailed : event_type::kCallCompleted;
}

Record record_of(const Outcome& outcome) {
    Record record{.at = outcome.ended,
                  .verb = outcome.verb,
                  .took = outcome.took,
                  .attempts = outcome.attempts,
                  .arguments_bytes = outcome.arguments.size(),
                  .result_bytes = outcome.result_bytes,
                  .trace = outcome.trace};
    if (outcome.error != nullptr) {
        record.ending = Ending::kError;
        record.code = outcome.error->code();
        if (record.code == ErrorCode::kRpc && outcome.error->rpc() != nullptr)
            record.rpc_code = outcome.error->rpc()->code;
        record.texts[Record::kMessage] = message_of(*outcome.error);
    } else if (outcome.asked_back) {
        record.ending = Ending::kAskedBack;
    } else if (outcome.tool_failed) {
        record.ending = Ending::kToolFailed;
    }
    record.texts[Record::kCorrelation] = outcome.correlation_id;
    record.texts[Record::kName] = outcome.name;
    // Usually the same name without its prefix; recorded only when it differs.
    if (outcome.own_name != outcome.name) record.texts[Record::kOwnName] = outcome.own_name;
    record.texts[Record::kSource] = outcome.source;
    record.texts[Record::kSourceKind] = outcome.source_kind;
    record.texts[Record::kPrincipal] = outcome.principal;
    record.texts[Record::kSession] = outcome.session;
    record.texts[Record::kClient] = outcome.client;
    return record;
}

Record record_of(const GatewayEvent& event, std::string_view data) {
    Record record{.at = SteadyClock::now(), .is_call = false};
    record.texts[Record::kCorrelation] = event.correlation_id;
    record.texts[Record::kName] = event.subject;
    record.texts[Record::kType] = event.type;
    record.texts[Record::kData] = data.size() <= kLongest[Record::kData] ? data : R"({"too_large":true})";
    return record;
}

std::size_t packed_size(const Record& record) noexcept {
    std::size_t size = sizeof(Numbers);
    for (std::size_t i = 0; i < Record::kTexts; ++i) size += cut(record.texts[i], kLongest[i]).size();
    return size;
}

void pack(const Record& record, char* into) noexcept {
    char* text = into + sizeof(Numbers);
    std::array<std::uint32_t, Record::kTexts> lengths{};
    for (std::size_t i = 0; i < Record::kTexts; ++i) {
        const std::string_view kept = cut(record.texts[i], kLongest[i]);
        lengths[i] = static_cast<std::uint32_t>(kept.size());
        if (kept.empty()) continue;
        std::memcpy(text, kept.data(), kept.size());
        text += kept.size();
    }
    std::memcpy(into + offsetof(Numbers, record), &record, sizeof record);
    std::memcpy(into + offsetof(Numbers, lengths), &lengths, sizeof lengths);
}

Record unpack(std::string_view bytes) noexcept {
    Numbers numbers;
    std::memcpy(&numbers, bytes.data(), sizeof numbers);
    const char* text = bytes.data() + sizeof numbers;
    for (std::size_t i = 0; i < Record::kTexts; ++i) {
        numbers.record.texts[i] = {text, numbers.lengths[i]};
        text += numbers.lengths[i];
    }
    return numbers.record;
}

void append_data(const Record& record, std::string& out) {
    if (record.is_call) {
        append_call(record, out);
    } else {
        out.append(record.texts[Record::kData]);
    }
}

}  // namespace gantry::gateway::events
