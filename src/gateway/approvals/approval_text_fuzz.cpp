#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "gateway/approvals/approval_text.hpp"

// The on-disk format of approvals: whatever parses survives a round trip unchanged, and its id is a valid file name.

namespace {

void check(const gantry::gateway::StoredApproval& stored) {
    using namespace gantry::gateway;
    if (!is_approval_id(stored.approval.id)) std::abort();
    const auto again = approval_from(to_text(stored));
    if (!again || again->state != stored.state || again->reason != stored.reason ||
        again->approval.id != stored.approval.id || again->approval.digest != stored.approval.digest ||
        again->approval.arguments != stored.approval.arguments ||
        again->approval.expires_ms != stored.approval.expires_ms)
        std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gantry::gateway;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto stored = approval_from(text)) check(*stored);
    if (const auto all = old_approvals_from(text)) {
        for (const StoredApproval& stored : *all) check(stored);
    }
    return 0;
}
