#include <gtest/gtest.h>

#include <algorithm>

#include "gateway/model/call.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {
namespace {

TEST(Verb, IsSpeltAsAMethodTheProtocolKnows) {
    for (const auto verb : {Verb::kCallTool, Verb::kGetPrompt, Verb::kReadResource, Verb::kComplete, Verb::kGetTask,
                            Verb::kUpdateTask, Verb::kCancelTask, Verb::kTaskResult}) {
        EXPECT_TRUE(std::ranges::any_of(mcp::kAllRevisions, [verb](mcp::Revision revision) {
            return mcp::find_method(method_of(verb), revision) != nullptr;
        })) << method_of(verb);
    }
}

TEST(ClientTraits, OnlyADeclaredFeatureMakesAClientOneThatCanBeAsked) {
    ClientTraits client;
    EXPECT_FALSE(client.can_be_asked());
    client.capabilities.roots.emplace();
    EXPECT_TRUE(client.can_be_asked());
}

}  // namespace
}  // namespace gantry::gateway
