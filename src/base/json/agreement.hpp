#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/incremental.hpp"
#include "base/json/scan.hpp"
#include "gantry/json.hpp"

namespace gantry::json {

// For tests and fuzz targets: the three readers must agree about any text. Each
// function returns a description of the first disagreement, empty if there is none.

/// Feeds `text` to the incremental scanner in pieces whose sizes derive from `seed`.
inline Result<void> feed_in_pieces(IncrementalScanner& scanner, std::string_view text, std::uint64_t seed) {
    while (!text.empty()) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const std::size_t size = std::min<std::size_t>(text.size(), (seed >> 33) % ((seed >> 60) + 2));
        if (auto fed = scanner.feed(text.substr(0, size)); !fed) return fed;
        text.remove_prefix(size);
    }
    return scanner.finish();
}

inline std::string verdict(const auto& result) {
    return result ? std::string("accepted") : result.error().message();
}

inline std::string scan_disagreement(std::string_view text, const JsonLimits& limits = {}) {
    const auto tree = Json::parse(text, limits);
    const auto view = scan_envelope(text, limits);
    if (verdict(tree) != verdict(view)) return "parse: " + verdict(tree) + ", scan: " + verdict(view);
    if (!tree) return {};
    if (tree->kind() != view->kind) return "scan saw another kind";
    auto differs = [&](const char* pointer, const Span& span) {
        const Json* in_tree = tree->at_pointer(pointer);
        if ((in_tree != nullptr) != static_cast<bool>(span)) return true;
        if (in_tree == nullptr) return false;
        if (span.is_string() != in_tree->is_string() ||
            span.text().value_or("") != (in_tree->is_string() ? *in_tree->if_string() : "")) {
            return true;
        }
        const auto alone = Json::parse(span.raw(), limits);
        const auto member = Json::parse("{" + std::string(span.member()) + "}", {.max_depth = kDepthCeiling});
        return !alone || *alone != *in_tree || !member || member->if_object()->begin()->second != *in_tree;
    };
    auto in_object = [&](const char* parent) {
        return tree->at_pointer(parent) != nullptr && tree->at_pointer(parent)->is_object();
    };
    const struct {
        const char* parent;
        const char* pointer;
        const Span& span;
    } parts[] = {
        {"", "/id", view->id},
        {"", "/jsonrpc", view->jsonrpc},
        {"", "/method", view->method},
        {"", "/params", view->params},
        {"", "/result", view->result},
        {"", "/error", view->error},
        {"/params", "/params/name", view->in_params.name},
        {"/params", "/params/uri", view->in_params.uri},
        {"/params", "/params/arguments", view->in_params.arguments},
        {"/params", "/params/cursor", view->in_params.cursor},
        {"/params", "/params/requestState", view->in_params.request_state},
        {"/params", "/params/inputResponses", view->in_params.input_responses},
        {"/params", "/params/requestId", view->in_params.request_id},
        {"/params", "/params/progressToken", view->in_params.progress_token},
        {"/params", "/params/_meta", view->in_params.meta},
        {"/params/_meta", "/params/_meta/progressToken", view->in_params.in_meta.progress_token},
        {"/params/_meta", "/params/_meta/io.modelcontextprotocol~1protocolVersion",
         view->in_params.in_meta.protocol_version},
        {"/params/_meta", "/params/_meta/io.modelcontextprotocol~1clientInfo", view->in_params.in_meta.client_info},
        {"/params/_meta", "/params/_meta/io.modelcontextprotocol~1clientCapabilities",
         view->in_params.in_meta.client_capabilities},
        {"/params/_meta", "/params/_meta/io.modelcontextprotocol~1logLevel", view->in_params.in_meta.log_level},
        {"/params/_meta", "/params/_meta/io.gantry~1correlationId", view->in_params.in_meta.correlation_id},
        {"/result", "/result/resultType", view->in_result.result_type},
        {"/result", "/result/nextCursor", view->in_result.next_cursor},
        {"/result", "/result/ttlMs", view->in_result.ttl_ms},
        {"/result", "/result/cacheScope", view->in_result.cache_scope},
        {"/result", "/result/isError", view->in_result.is_error},
        {"/result", "/result/content", view->in_result.content},
        {"/result", "/result/_meta", view->in_result.meta},
        {"/result/_meta", "/result/_meta/io.modelcontextprotocol~1subscriptionId",
         view->in_result.in_meta.subscription_id},
        {"/result/_meta", "/result/_meta/io.modelcontextprotocol~1serverInfo", view->in_result.in_meta.server_info},
    };
    for (const auto& part : parts) {
        if (in_object(part.parent) ? differs(part.pointer, part.span) : static_cast<bool>(part.span)) {
            return std::string("scan and tree differ about ") + part.pointer;
        }
    }
    return {};
}

inline std::string incremental_disagreement(std::string_view text, std::uint64_t seed, const JsonLimits& limits = {}) {
    IncrementalScanner whole(limits);
    IncrementalScanner pieces(limits);
    auto at_once = whole.feed(text);
    if (at_once) at_once = whole.finish();
    const auto in_pieces = feed_in_pieces(pieces, text, seed);
    const std::string told = verdict(at_once);
    if (told != verdict(in_pieces)) return "whole: " + told + ", in pieces: " + verdict(in_pieces);
    const auto view = scan_envelope(text, limits);
    const std::string expected = verdict(view);
    if (told.starts_with(reason::kMembers)) return {};
    // A text over the limit is rejected before, and here after, looking at its content.
    if (!at_once && expected.starts_with(reason::kSize)) return {};
    // A duplicate deep inside is not detected; a later fault may be reported instead.
    const bool unseen = expected.starts_with(reason::kDuplicate);
    if (told != expected && !unseen) return "scan: " + expected + ", incremental: " + told;
    if (!view || !at_once) return {};
    auto same = [&](const std::optional<Passed>& passed, const Span& span) {
        if (!passed || !span) return passed.has_value() == static_cast<bool>(span);
        const auto begin = static_cast<std::size_t>(span.raw().data() - text.data());
        return passed->extent.begin == begin && passed->extent.end == begin + span.raw().size() &&
               (passed->too_long ? span.raw().size() > IncrementalScanner::kMostKept : passed->raw == span.raw());
    };
    auto same_place = [&](const std::optional<Extent>& extent, const Span& span) {
        if (!extent || !span) return extent.has_value() == static_cast<bool>(span);
        const auto begin = static_cast<std::size_t>(span.raw().data() - text.data());
        return extent->begin == begin && extent->end == begin + span.raw().size();
    };
    for (const IncrementalScanner* scanner : {&whole, &pieces}) {
        const PassedEnvelope& passed = scanner->envelope();
        if (passed.kind != view->kind) return "incremental saw another kind";
        if (!same(passed.id, view->id) || !same(passed.method, view->method) || !same(passed.jsonrpc, view->jsonrpc) ||
            !same_place(passed.params, view->params) || !same_place(passed.result, view->result) ||
            !same_place(passed.error, view->error)) {
            return "scan and incremental differ about the envelope";
        }
    }
    return {};
}

}  // namespace gantry::json
