#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gantry/mcp/revision.hpp"

namespace gantry::gateway {

using Page = std::shared_ptr<const std::string>;

/// The rendered pages of one list. Rendering is deterministic, so this is only a memo: any thread may look a page up or
/// keep one, and where two render the same page at once, both get the one kept first.
class PageCache {
public:
    PageCache() = default;
    PageCache(const PageCache&) = delete;
    PageCache& operator=(const PageCache&) = delete;

    /// Null: not rendered yet.
    Page find(mcp::Revision revision, std::size_t number) const {
        const std::lock_guard guard(mutex_);
        const auto& pages = pages_[static_cast<std::size_t>(revision)];
        return number < pages.size() ? pages[number] : nullptr;
    }
    Page keep(mcp::Revision revision, std::size_t number, Page page) const {
        const std::lock_guard guard(mutex_);
        auto& pages = pages_[static_cast<std::size_t>(revision)];
        if (pages.size() <= number) pages.resize(number + 1);
        return first(pages[number], std::move(page));
    }

    /// The list in the plain form of GET /mcp/tools.
    Page find_plain() const {
        const std::lock_guard guard(mutex_);
        return plain_;
    }
    Page keep_plain(Page page) const {
        const std::lock_guard guard(mutex_);
        return first(plain_, std::move(page));
    }

private:
    static Page first(Page& kept, Page offered) {
        if (kept == nullptr) kept = std::move(offered);
        return kept;
    }

    mutable std::mutex mutex_;
    mutable std::array<std::vector<Page>, mcp::kAllRevisions.size()> pages_;
    mutable Page plain_;
};

}  // namespace gantry::gateway
