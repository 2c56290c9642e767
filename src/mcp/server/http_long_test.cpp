// Answers too large to hold, on streams that are resumed or shared.
#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

using ::testing::HasSubstr;

void release(FakeBackend& backend) {
    backend.open = true;
    backend.changed.pulse();
}

std::size_t text_size(const Json& message) {
    const Json* text = message.at_pointer("/result/text");
    return text != nullptr && text->is_string() ? text->if_string()->size() : 0;
}

Fields from(const Rig& rig, const std::string& last) {
    Fields fields = rig.session_headers();
    fields.emplace_back("Last-Event-ID", last);
    return fields;
}

/// Calls the tool and disconnects after the first notification; returns the event id to resume from.
Task<std::string> leave_early(Rig& rig, std::string tool) {
    auto stream = co_await rig.legacy_stream(legacy_request("5", "tools/call", call(tool)));
    if (!stream) co_return "";
    (void)co_await stream->message();
    stream->abort();
    co_return stream->last_id;
}

TEST(LongAnswer, IsOneEventForAClientThatCameBack) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        const std::string last = co_await leave_early(rig, "long");
        auto again = co_await rig.open("GET", "", from(rig, last));
        CO_ASSERT(again && again->status() == 200);
        release(rig.backend);
        const Json answer = co_await again->message();
        EXPECT_EQ(answer.find("id")->dump(), "5");
        EXPECT_EQ(text_size(answer), kLongPieces * 16);
        EXPECT_FALSE((co_await again->next()).has_value());
        EXPECT_FALSE(again->broken());
    });
}

TEST(LongAnswer, ThatBreaksOffCutsTheStreamAndLeavesAnError) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        const std::string last = co_await leave_early(rig, "long broken");
        auto again = co_await rig.open("GET", "", from(rig, last));
        CO_ASSERT(again && again->status() == 200);
        release(rig.backend);
        EXPECT_FALSE((co_await again->next()).has_value()) << "half an answer is none";
        EXPECT_TRUE(again->broken());
        auto third = co_await rig.open("GET", "", from(rig, last));
        CO_ASSERT(third && third->status() == 200);
        const Json error = co_await third->message();
        EXPECT_EQ(error.find("id")->dump(), "5");
        EXPECT_THAT(error.at_pointer("/error/message")->dump(), HasSubstr("the source broke off"));
    });
}

TEST(LongAnswer, OfWhichAClientReadHalfIsNotKeptAndItsClientIsToldSo) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.legacy_stream(legacy_request("5", "tools/call", call("long")));
        CO_ASSERT(stream);
        (void)co_await stream->message();
        const std::string last = stream->last_id;
        release(rig.backend);
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.waiting == 0; }));
        stream->abort();
        auto again = co_await rig.open("GET", "", from(rig, last));
        CO_ASSERT(again && again->status() == 200);
        const Json error = co_await again->message();
        EXPECT_EQ(error.find("id")->dump(), "5");
        EXPECT_THAT(error.at_pointer("/error/message")->dump(), HasSubstr("could not be kept"));
    });
}

TEST(LongAnswer, OnASharedStreamIsOneEventAndABrokenOneAnError) {
    run_rig([](Rig& rig) -> Task<void> {
        auto stream = co_await rig.open("GET", "", {}, "/sse");
        CO_ASSERT(stream);
        const std::string where = (co_await stream->next())->data;
        std::string hello =
            R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05",)";
        hello += R"("capabilities":{},"clientInfo":{"name":"a","version":"1"}}})";
        (void)co_await rig.send("POST", hello, {}, where);
        (void)co_await stream->message();
        release(rig.backend);
        // Two long ones, a broken one and a short one concurrently: none interferes with another.
        std::map<std::string, std::size_t> sizes;
        for (const auto& [id, tool] : {std::pair("1", "long"), {"2", "long broken"}, {"3", "long"}, {"4", "plain"}}) {
            (void)co_await rig.send("POST", legacy_request(id, "tools/call", call(tool)), {}, where);
        }
        while (sizes.size() < 4) {
            const Json message = co_await stream->message();
            CO_ASSERT(!message.is_null());
            const Json* id = message.find("id");
            if (id != nullptr) sizes[id->dump()] = message.find("error") != nullptr ? 7 : text_size(message);
        }
        EXPECT_EQ(sizes, (std::map<std::string, std::size_t>{
                             {"1", kLongPieces * 16}, {"2", 7}, {"3", kLongPieces * 16}, {"4", 0}}));
        stream->abort();
    });
}

}  // namespace
}  // namespace gantry::mcp::testing
