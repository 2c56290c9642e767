#include "base/json/scan.hpp"

#include <array>

#include "base/json/reader.hpp"

namespace gantry::json {
namespace {

enum class Scope : std::uint8_t { kNone, kTop, kParams, kResult, kParamsMeta, kResultMeta };

/// What becomes of the value behind a key: noted in `span`, looked into as `inside`.
struct Target {
    Span* span = nullptr;
    Scope inside = Scope::kNone;
};

Target in_top(EnvelopeView& view, std::string_view key) {
    if (key == "id") return {&view.id};
    if (key == "jsonrpc") return {&view.jsonrpc};
    if (key == "method") return {&view.method};
    if (key == "params") return {&view.params, Scope::kParams};
    if (key == "result") return {&view.result, Scope::kResult};
    if (key == "error") return {&view.error};
    return {};
}

Target in_params(ParamsView& view, std::string_view key) {
    if (key == "name") return {&view.name};
    if (key == "arguments") return {&view.arguments};
    if (key == "_meta") return {&view.meta, Scope::kParamsMeta};
    if (key == "uri") return {&view.uri};
    if (key == "cursor") return {&view.cursor};
    if (key == "requestState") return {&view.request_state};
    if (key == "inputResponses") return {&view.input_responses};
    if (key == "requestId") return {&view.request_id};
    if (key == "progressToken") return {&view.progress_token};
    return {};
}

Target in_result(ResultView& view, std::string_view key) {
    if (key == "content") return {&view.content};
    if (key == "isError") return {&view.is_error};
    if (key == "_meta") return {&view.meta, Scope::kResultMeta};
    if (key == "resultType") return {&view.result_type};
    if (key == "nextCursor") return {&view.next_cursor};
    if (key == "ttlMs") return {&view.ttl_ms};
    if (key == "cacheScope") return {&view.cache_scope};
    return {};
}

Target in_meta(MetaView& view, std::string_view key) {
    constexpr std::string_view kReserved = "io.modelcontextprotocol/";
    if (key == "progressToken") return {&view.progress_token};
    if (!key.starts_with(kReserved)) return {};
    key.remove_prefix(kReserved.size());
    if (key == "protocolVersion") return {&view.protocol_version};
    if (key == "clientCapabilities") return {&view.client_capabilities};
    if (key == "clientInfo") return {&view.client_info};
    if (key == "serverInfo") return {&view.server_info};
    if (key == "logLevel") return {&view.log_level};
    if (key == "subscriptionId") return {&view.subscription_id};
    return {};
}

/// Keeps one level of notes per open object or array as deep as `_meta` lies; what is deeper
/// only counts.
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
