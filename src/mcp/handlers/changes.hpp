#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mcp/server/backend.hpp"

namespace gantry::mcp {

/// Distributes changes to watches. A watch may outlive the server and may be destroyed while it is being notified.
class Changes {
public:
    /// Whether changes of that resource will ever be reported.
    using Knows = std::function<bool(std::string_view uri)>;

    explicit Changes(Knows knows) : shared_(std::make_shared<Shared>(std::move(knows))) {}
    ~Changes() { shared_->knows = nullptr; }
    Changes(const Changes&) = delete;
    Changes& operator=(const Changes&) = delete;

    /// `honoured` is used unfiltered.
    std::unique_ptr<Watch> watch(Interest honoured, std::function<void(const Change&)> tell);
    void tell(const Change& change) const;
    std::size_t watching() const noexcept { return shared_->listeners.size(); }

private:
    struct ChangeListener {
        Interest interest;
        std::function<void(const Change&)> tell;
    };
    struct Shared {
        explicit Shared(Knows knows) : knows(std::move(knows)) {}
        Knows knows;  // empty once the server is gone
        std::vector<std::shared_ptr<ChangeListener>> listeners;
    };
    class Line;

    static bool wants(const Interest& interest, const Change& change);

    std::shared_ptr<Shared> shared_;
};

}  // namespace gantry::mcp
