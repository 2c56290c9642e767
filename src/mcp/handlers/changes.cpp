#include "mcp/handlers/changes.hpp"

#include <algorithm>

namespace gantry::mcp {

class Changes::Line final : public Watch {
public:
    Line(std::shared_ptr<Shared> shared, std::shared_ptr<ChangeListener> listener)
        : shared_(std::move(shared)), listener_(std::move(listener)) {}
    ~Line() override {
        listener_->tell = nullptr;
        std::erase(shared_->listeners, listener_);
    }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    const Interest& honoured() const noexcept override { return listener_->interest; }

    Task<Result<void>> add(const Context&, std::string uri) override {
        if (!shared_->knows || !shared_->knows(uri)) co_return fail(ErrorCode::kNotFound, "no such resource");
        listener_->interest.uris.insert(std::move(uri));
        co_return Result<void>();
    }
    Task<void> remove(const Context&, std::string uri) override {
        listener_->interest.uris.erase(uri);
        co_return;
    }

private:
    std::shared_ptr<Shared> shared_;
    std::shared_ptr<ChangeListener> listener_;
};

std::unique_ptr<Watch> Changes::watch(Interest honoured, std::function<void(const Change&)> tell) {
    auto listener = std::make_shared<ChangeListener>(std::move(honoured), std::move(tell));
    shared_->listeners.push_back(listener);
    return std::make_unique<Line>(shared_, std::move(listener));
}

void Changes::tell(const Change& change) const {
    // A copy, because callbacks may add or remove listeners.
    const auto listeners = shared_->listeners;
    for (const auto& listener : listeners) {
        if (!listener->tell || !wants(listener->interest, change)) continue;
        const auto tell = listener->tell;  // outlives a listener removed meanwhile
        tell(change);
    }
}

bool Changes::wants(const Interest& interest, const Change& change) {
    switch (change.kind) {
        case Change::Kind::kTools: return interest.tools;
        case Change::Kind::kPrompts: return interest.prompts;
        case Change::Kind::kResources: return interest.resources;
        case Change::Kind::kTask: return interest.tasks.contains(std::string(change.task.string_at("taskId")));
        case Change::Kind::kUpdated: break;
    }
    // Also matches resources below a watched one.
    return std::ranges::any_of(interest.uris, [&](const std::string& uri) {
        return change.uri == uri ||
               (change.uri.starts_with(uri) && (uri.ends_with('/') || change.uri[uri.size()] == '/'));
    });
}

}  // namespace gantry::mcp
