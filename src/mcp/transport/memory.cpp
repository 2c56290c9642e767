#include "mcp/transport/memory.hpp"

#include <utility>

#include "base/try.hpp"
#include "io/sync.hpp"

namespace gantry::mcp {
namespace {

using Lane = Queue<Message>;

class MemoryConnection final : public Connection {
public:
    MemoryConnection(std::shared_ptr<Lane> in, std::shared_ptr<Lane> out, WireTap tap)
        : in_(std::move(in)), out_(std::move(out)), tap_(std::move(tap)) {}
    ~MemoryConnection() override { end(); }

    Task<Result<std::optional<Incoming>>> read(const Context& ctx) override {
        if (closed_) co_return Result<std::optional<Incoming>>(std::nullopt);
        GANTRY_CO_TRY(auto message, co_await in_->pop(ctx));
        if (!message || closed_) co_return Result<std::optional<Incoming>>(std::nullopt);
        show(WireEvent::Direction::kReceived, *message);
        co_return Result<std::optional<Incoming>>(Incoming{.message = std::move(*message)});
    }

    Task<Result<void>> write(const Context& ctx, Outgoing outgoing) override {
        if (!outgoing.text.empty()) {
            auto message = decode_message(outgoing.text);
            if (!message) co_return fail(std::move(message).error());
            outgoing.message = *std::move(message);
        }
        if (tap_) show(WireEvent::Direction::kSent, outgoing.message);
        auto pushed = co_await out_->push(ctx, std::move(outgoing.message));
        if (!pushed && out_->closed()) {
            co_return fail(Error(ErrorCode::kConnection, "the other end of the connection is closed").fatal(true));
        }
        co_return pushed;
    }

    Task<void> abandon(const RequestId&) override { co_return; }
    void set_revision(Revision) override {}

    Task<void> close() override {
        end();
        co_return;
    }

private:
    void end() noexcept {
        closed_ = true;
        in_->close();
        out_->close();
    }
    void show(WireEvent::Direction direction, const Message& message) const {
        if (tap_) tap_(WireEvent{.direction = direction, .text = encode_message(message)});
    }

    std::shared_ptr<Lane> in_, out_;
    WireTap tap_;
    bool closed_ = false;
};

}  // namespace

MemoryPair make_memory_pair(MemoryOptions options) {
    auto up = std::make_shared<Lane>(options.capacity);
    auto down = std::make_shared<Lane>(options.capacity);
    return {.client = std::make_unique<MemoryConnection>(down, up, std::move(options.tap)),
            .server = std::make_unique<MemoryConnection>(up, down, WireTap())};
}

MemoryTransport::MemoryTransport(Accept accept, MemoryOptions options)
    : accept_(std::move(accept)), options_(std::move(options)) {}

Task<Result<std::unique_ptr<Connection>>> MemoryTransport::connect(const Context& ctx) {
    GANTRY_CO_CHECK(ctx.check());
    auto pair = make_memory_pair(options_);
    accept_(std::move(pair.server));
    co_return Result<std::unique_ptr<Connection>>(std::move(pair.client));
}

std::string MemoryTransport::describe() const {
    return "memory";
}

}  // namespace gantry::mcp
