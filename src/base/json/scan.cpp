#include "base/json/scan.hpp"

#include <array>

#include "base/json/reader.hpp"

namespace gantry::json {
namespace {

enum class Scope : std::uint8_t { kNone, kTop, kParams, kResult, kParamsMeta, kResultMeta };

/// What to do with a key's value: record it in `span`, descend into it as `inside`.
struct Target {
    Span* span = nullptr;
    Scope inside = Scope::kNone;
};

// By length first: it distinguishes nearly all keys, and the rest is compared in registers.

Target in_top(EnvelopeView& view, std::string_view key) {
    switch (key.size()) {
        case 2: return key == "id" ? Target{&view.id} : Target{};
        case 5: return key == "error" ? Target{&view.error} : Target{};
        case 6:
            if (key == "method") return {&view.method};
            if (key == "params") return {&view.params, Scope::kParams};
            if (key == "result") return {&view.result, Scope::kResult};
            return {};
        case 7: return key == "jsonrpc" ? Target{&view.jsonrpc} : Target{};
        default: return {};
    }
}

Target in_params(ParamsView& view, std::string_view key) {
    switch (key.size()) {
        case 3: return key == "uri" ? Target{&view.uri} : Target{};
        case 4: return key == "name" ? Target{&view.name} : Target{};
        case 5: return key == "_meta" ? Target{&view.meta, Scope::kParamsMeta} : Target{};
        case 6: return key == "cursor" ? Target{&view.cursor} : Target{};
        case 9:
            if (key == "arguments") return {&view.arguments};
            return key == "requestId" ? Target{&view.request_id} : Target{};
        case 12: return key == "requestState" ? Target{&view.request_state} : Target{};
        case 13: return key == "progressToken" ? Target{&view.progress_token} : Target{};
        case 14: return key == "inputResponses" ? Target{&view.input_responses} : Target{};
        default: return {};
    }
}

Target in_result(ResultView& view, std::string_view key) {
    switch (key.size()) {
        case 5:
            if (key == "_meta") return {&view.meta, Scope::kResultMeta};
            return key == "ttlMs" ? Target{&view.ttl_ms} : Target{};
        case 7:
            if (key == "content") return {&view.content};
            return key == "isError" ? Target{&view.is_error} : Target{};
        case 10:
            if (key == "resultType") return {&view.result_type};
            if (key == "nextCursor") return {&view.next_cursor};
            return key == "cacheScope" ? Target{&view.cache_scope} : Target{};
        default: return {};
    }
}

Target in_meta(MetaView& view, std::string_view key) {
    constexpr std::string_view kReserved = "io.modelcontextprotocol/";
    constexpr std::string_view kCorrelation = "io.gantry/correlationId";
    if (key == "progressToken") return {&view.progress_token};
    if (key.size() == kCorrelation.size()) return key == kCorrelation ? Target{&view.correlation_id} : Target{};
    if (key.size() <= kReserved.size() || !key.starts_with(kReserved)) return {};
    key.remove_prefix(kReserved.size());
    switch (key.size()) {
        case 8: return key == "logLevel" ? Target{&view.log_level} : Target{};
        case 10:
            if (key == "clientInfo") return {&view.client_info};
            return key == "serverInfo" ? Target{&view.server_info} : Target{};
        case 14: return key == "subscriptionId" ? Target{&view.subscription_id} : Target{};
        case 15: return key == "protocolVersion" ? Target{&view.protocol_version} : Target{};
        case 18: return key == "clientCapabilities" ? Target{&view.client_capabilities} : Target{};
        default: return {};
    }
}

/// Keeps one level of state per open object or array down to `_meta`; deeper levels are only
/// counted.
class EnvelopeEvents {
public:
    explicit EnvelopeEvents(EnvelopeView& view) noexcept : view_(view) {}

    void open(Json::Kind kind, const char* at) {
        const std::size_t depth = depth_++;
        if (depth >= kLevels) return;
        Level& level = levels_[depth];
        level.value = at;
        if (depth == 0) view_.kind = kind;
        if (depth + 1 == kLevels) return;
        const Scope inside = depth == 0 ? Scope::kTop : level.target.inside;
        levels_[depth + 1] = {};
        levels_[depth + 1].scope = kind == Json::Kind::kObject ? inside : Scope::kNone;
    }
    void close(Json::Kind, const char* after) {
        if (--depth_ < kLevels) note(levels_[depth_], levels_[depth_].value, after);
    }
    void key(std::string_view key, const char* at) {
        if (depth_ >= kLevels) return;
        Level& level = levels_[depth_];
        if (level.scope == Scope::kNone) return;
        level.key = at;
        level.target = find(level.scope, key);
    }
    void string(std::string_view token, bool) { scalar(Json::Kind::kString, token); }
    void number(std::string_view token) { scalar(Json::Kind::kNumber, token); }
    void literal(Json::Kind kind, std::string_view token) { scalar(kind, token); }

private:
    struct Level {
        Scope scope = Scope::kNone;
        Target target;
        const char* key = nullptr;
        const char* value = nullptr;
    };
    static constexpr std::size_t kLevels = 4;  // the text, the message, params or result, _meta

    void scalar(Json::Kind kind, std::string_view token) {
        if (depth_ >= kLevels) return;
        if (depth_ == 0) view_.kind = kind;
        note(levels_[depth_], token.data(), token.data() + token.size());
    }

    static void note(const Level& level, const char* value, const char* after) {
        if (level.target.span == nullptr) return;
        *level.target.span = Span({value, static_cast<std::size_t>(after - value)},
                                  {level.key, static_cast<std::size_t>(after - level.key)});
    }

    Target find(Scope scope, std::string_view key) {
        switch (scope) {
            case Scope::kTop: return in_top(view_, key);
            case Scope::kParams: return in_params(view_.in_params, key);
            case Scope::kResult: return in_result(view_.in_result, key);
            case Scope::kParamsMeta: return in_meta(view_.in_params.in_meta, key);
            case Scope::kResultMeta: return in_meta(view_.in_result.in_meta, key);
            case Scope::kNone: break;
        }
        return {};
    }

    EnvelopeView& view_;
    std::size_t depth_ = 0;
    std::array<Level, kLevels> levels_{};
};

}  // namespace

Result<EnvelopeView> scan_envelope(std::string_view text, const JsonLimits& limits) {
    Result<EnvelopeView> view(std::in_place);
    EnvelopeEvents events(*view);
    if (const Fault fault = Reader<EnvelopeEvents>(text, limits, events).read()) {
        view = fail(to_error(fault));
    }
    return view;
}

}  // namespace gantry::json
