#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/try.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::mcp {

/// Told about an entry of a list that is left out.
using OnSkipped = std::function<void(Error)>;

/// So many entries of a page are told one by one, the others as a number.
inline constexpr std::size_t kMaxSkippedTold = 10;

/// Takes the entries of `page[member]` that cannot be read as an Item out of it and tells about each.
template <class Item>
void sift(Json& page, const std::string& member, Revision revision, const OnSkipped& on_skipped) {
    Json* entries = page.is_object() ? page.if_object()->find(member) : nullptr;
    if (entries == nullptr || !entries->is_array()) return;
    JsonArray good;
    std::size_t skipped = 0;
    std::size_t number = 0;
    for (Json& entry : *entries->if_array()) {
        auto read = decode<Item>(entry, revision);
        if (read) {
            good.push_back(std::move(entry));
        } else if (++skipped <= kMaxSkippedTold) {
            on_skipped(read.error().within(member + '[' + std::to_string(number) + "] is left out"));
        }
        ++number;
    }
    if (skipped > kMaxSkippedTold) {
        on_skipped(Error(ErrorCode::kProtocol,
                         member + ": " + std::to_string(skipped - kMaxSkippedTold) + " more entries are left out"));
    }
    *entries = std::move(good);
}

/// Reads one page of a list. One entry that breaks the rules does not spoil the others: it is left out and told.
template <class Page, class Item>
Result<Page> read_page(Json page, const std::string& member, Revision revision, const OnSkipped& on_skipped) {
    auto whole = decode<Page>(page, revision);
    if (whole) return whole;
    sift<Item>(page, member, revision, on_skipped);
    return decode<Page>(page, revision);
}

}  // namespace gantry::mcp
