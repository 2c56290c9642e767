#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/try.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::mcp {

/// Called for a list entry that is skipped.
using OnSkipped = std::function<void(Error)>;

/// Entries of a page reported individually; the others are reported as a number.
inline constexpr std::size_t kMaxSkippedTold = 10;

/// Removes and reports the entries of `page[member]` that cannot be decoded as an Item.
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

/// Decodes one page of a list. An invalid entry is skipped and reported; the others are kept.
template <class Page, class Item>
Result<Page> read_page(Json page, const std::string& member, Revision revision, const OnSkipped& on_skipped) {
    auto whole = decode<Page>(page, revision);
    if (whole) return whole;
    sift<Item>(page, member, revision, on_skipped);
    return decode<Page>(page, revision);
}

}  // namespace gantry::mcp
