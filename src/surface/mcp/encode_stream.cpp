#include "surface/mcp/encode_stream.hpp"

#include "base/json/scan.hpp"
#include "base/json/splice.hpp"
#include "base/try.hpp"
#include "mcp/protocol/older.hpp"
#include "surface/mcp/member_filter.hpp"
#include "surface/mcp/stamp.hpp"
#include "surface/mcp/traits.hpp"

namespace gantry::surface {
namespace {

using gateway::Output;
using gateway::Verb;
using mcp::Revision;
using Piece = std::optional<std::string_view>;

constexpr std::string_view kMetaHead = R"({"result":{"_meta":)";
constexpr std::string_view kMetaTail = "}}";

/// `_meta` as sent to the client.
Result<std::string> rewrite_meta(std::string_view meta, const Stamp* stamp) {
    const std::string text = std::string(kMetaHead).append(meta).append(kMetaTail);
    GANTRY_TRY(const auto view, json::scan_envelope(text));
    if (stamp != nullptr && !view.in_result.meta.is_object()) return stamped_meta(*stamp);
    if (stamp == nullptr && is_stamp_alone(view.in_result)) return std::string();
    json::Splice splice(text);
    stamp != nullptr ? stamp_meta(splice, view.in_result, *stamp) : unstamp_meta(splice, view.in_result);
    GANTRY_TRY(std::string changed, splice.finish());
    return changed.substr(kMetaHead.size(), changed.size() - kMetaHead.size() - kMetaTail.size());
}

/// Only complete results may be this large: a question or a task handle has a state that the client must not see.
Result<std::string> complete_type(std::optional<std::string_view> value, bool wanted) {
    if (value != R"("complete")" && !(value && json::Span(*value).is("complete"))) {
        return fail(ErrorCode::kProtocol, "the server's large result is not a complete one");
    }
    return wanted ? std::string(*value) : std::string();
}

class ModernRules final : public MemberRules {
public:
    ModernRules(Verb verb, Stamp stamp) : verb_(verb), stamp_(std::move(stamp)) {}

    MemberAction decide(std::string_view name, char) override {
        if (name == "_meta" || name == "resultType") return MemberAction::kRewrite;
        ttl_ |= name == "ttlMs";
        scope_ |= name == "cacheScope";
        content_ |= name == "content";
        return MemberAction::kPass;
    }

    Result<std::string> rewrite(std::string_view name, std::optional<std::string_view> value) override {
        if (name == "resultType") {
            type_ = true;
            return complete_type(value, true);
        }
        meta_ = true;
        return value ? rewrite_meta(*value, &stamp_) : stamped_meta(stamp_);
    }

    std::string last_members() override {
        std::string members;
        const auto add = [&members](std::string_view member) {
            members.append(members.empty() ? "" : ",").append(member);
        };
        if (verb_ == Verb::kCallTool && !content_) add(R"("content":[])");
        if (!type_) add(R"("resultType":"complete")");
        if (verb_ == Verb::kReadResource && !ttl_) add(R"("ttlMs":0)");
        if (verb_ == Verb::kReadResource && !scope_) add(R"("cacheScope":"private")");
        if (!meta_) add(R"("_meta":)" + stamped_meta(stamp_));
        return members;
    }

private:
    Verb verb_;
    Stamp stamp_;
    bool type_ = false, ttl_ = false, scope_ = false, content_ = false, meta_ = false;
};

/// For a client whose revision is older than the server's.
class LegacyRules final : public MemberRules {
public:
    LegacyRules(Verb verb, Revision client, Revision server, const gateway::Item* item)
        : calls_(verb == Verb::kCallTool),
          keeps_structured_(client >= Revision::k2025_06_18),
          from_modern_(mcp::is_modern(server)) {
        if (!calls_) return;
        if (const Json schema = output_schema_of(item); !schema.is_null()) wraps_ = mcp::is_wrapped(schema);
    }

    MemberAction decide(std::string_view name, char first) override {
        content_ |= name == "content";
        if (from_modern_ && (name == "_meta" || name == "resultType")) return MemberAction::kRewrite;
        if (from_modern_ && (name == "ttlMs" || name == "cacheScope")) return MemberAction::kDrop;
        if (!calls_ || name != "structuredContent") return MemberAction::kPass;
        if (!keeps_structured_) return MemberAction::kDrop;
        return wraps_.value_or(first != '{') ? MemberAction::kWrap : MemberAction::kPass;
    }

    Result<std::string> rewrite(std::string_view name, std::optional<std::string_view> value) override {
        if (name == "resultType") return complete_type(value, false);
        return value ? rewrite_meta(*value, nullptr) : std::string();
    }

    std::string last_members() override { return calls_ && !content_ ? R"("content":[])" : ""; }

private:
    bool calls_;
    bool keeps_structured_;
    bool from_modern_;
    std::optional<bool> wraps_;  // according to the tool's schema
    bool content_ = false;
};

/// A streamed result between the head that is already written and the closing brace.
class StreamedResult final : public mcp::AnswerStream {
public:
    /// Null rules: the result is passed on unchanged.
    StreamedResult(std::unique_ptr<gateway::OutputStream> from, std::unique_ptr<MemberRules> rules)
        : from_(std::move(from)), rules_(std::move(rules)) {
        if (rules_) filter_.emplace(*rules_);
    }

    Task<Result<Piece>> next(const Context& ctx) override {
        while (!done_) {
            GANTRY_CO_TRY(Piece piece, co_await from_->next(ctx));
            done_ = !piece;
            if (done_) co_return Piece("}");
            if (filter_) {
                GANTRY_CO_TRY(piece, filter_->feed(*piece));
            } else if (!std::exchange(begun_, true) && !piece->starts_with('{')) {
                co_return fail(ErrorCode::kProtocol, "the server's result is not an object");
            }
            if (!piece->empty()) co_return piece;
        }
        co_return Piece();
    }

private:
    std::unique_ptr<gateway::OutputStream> from_;
    std::unique_ptr<MemberRules> rules_;
    std::optional<MemberFilter> filter_;
    bool begun_ = false;
    bool done_ = false;
};

}  // namespace

mcp::Answer encode_stream(const mcp::Call& call, Verb verb, Output output, const Stamp& stamp) {
    mcp::Answer answer = mcp::Answer::result(call, std::string_view());
    answer.message.pop_back();  // the closing brace comes last
    const Revision client = terms_of(*call.peer);
    std::unique_ptr<MemberRules> rules;
    if (call.peer->modern()) {
        rules = std::make_unique<ModernRules>(verb, stamp);
    } else if (client < output.revision) {
        rules = std::make_unique<LegacyRules>(verb, client, output.revision, output.item);
    }
    answer.rest = std::make_unique<StreamedResult>(std::move(output.stream), std::move(rules));
    return answer;
}

}  // namespace gantry::surface
