#include "base/json/incremental.hpp"

namespace gantry::json {

IncrementalScanner::Place IncrementalScanner::envelope_place() const noexcept {
    if (!objects_[0]) return Place::kElsewhere;
    if (depth_ == 1) return Place::kTop;
    const bool looked_into = part_ == Part::kParams || part_ == Part::kResult;
    return looked_into && objects_[1] ? Place::kInside : Place::kElsewhere;
}

void IncrementalScanner::digest(std::string_view bytes) {
    digester_.update(bytes);
    // Eight bytes are one more than the longest name of interest, so a longer key matches none.
    for (const char c : bytes.substr(0, name_.size() - name_size_)) name_[name_size_++] = c;
}

void IncrementalScanner::end_key() {
    const bool top = place() == Place::kTop;
    switch ((top ? top_keys_ : inner_keys_).add(digester_.finish())) {
        case KeyDigests::Added::kDuplicate: refuse(reason::kDuplicate, token_); return;
        case KeyDigests::Added::kFull: refuse(reason::kMembers, token_, ErrorCode::kLimit); return;
        case KeyDigests::Added::kNew: break;
    }
    if (!top) return;
    const std::string_view name(name_.data(), name_size_);
    part_ = name == "jsonrpc"  ? Part::kJsonrpc
            : name == "id"     ? Part::kId
            : name == "method" ? Part::kMethod
            : name == "params" ? Part::kParams
            : name == "result" ? Part::kResult
            : name == "error"  ? Part::kError
                               : Part::kNone;
}

Passed* IncrementalScanner::kept() noexcept {
    std::optional<Passed>* place = nullptr;
    switch (part_) {
        case Part::kJsonrpc: place = &envelope_.jsonrpc; break;
        case Part::kId: place = &envelope_.id; break;
        case Part::kMethod: place = &envelope_.method; break;
        default: return nullptr;
    }
    return place->has_value() ? &**place : nullptr;
}

// Capturing starts with the first byte of a value and ends with the last one: check before and after.
std::size_t IncrementalScanner::step_keeping(std::string_view rest) {
    Passed* const before = kept();
    const std::size_t used = step(rest);
    if (Passed* passed = before != nullptr ? before : kept()) keep(*passed, rest.substr(0, used));
    return used;
}

void IncrementalScanner::keep(Passed& passed, std::string_view bytes) {
    if (passed.too_long) return;
    passed.raw += bytes.substr(0, kMostKept + 1 - passed.raw.size());
    if (passed.raw.size() <= kMostKept) return;
    passed.too_long = true;
    passed.raw = std::string();
}

void IncrementalScanner::begin_part(Json::Kind kind) {
    if (depth_ == 0) envelope_.kind = kind;
    switch (part_) {
        case Part::kJsonrpc: envelope_.jsonrpc.emplace().extent.begin = size_; return;
        case Part::kId: envelope_.id.emplace().extent.begin = size_; return;
        case Part::kMethod: envelope_.method.emplace().extent.begin = size_; return;
        case Part::kParams: envelope_.params = Extent{size_, {}}; return;
        case Part::kResult: envelope_.result = Extent{size_, {}}; return;
        case Part::kError: envelope_.error = Extent{size_, {}}; return;
        case Part::kNone: return;
    }
}

void IncrementalScanner::end_part(std::size_t after) {
    switch (part_) {
        case Part::kJsonrpc: envelope_.jsonrpc->extent.end = after; break;
        case Part::kId: envelope_.id->extent.end = after; break;
        case Part::kMethod: envelope_.method->extent.end = after; break;
        case Part::kParams: envelope_.params->end = after; break;
        case Part::kResult: envelope_.result->end = after; break;
        case Part::kError: envelope_.error->end = after; break;
        case Part::kNone: break;
    }
    part_ = Part::kNone;
}

}  // namespace gantry::json
