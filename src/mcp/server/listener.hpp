#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/mcp/values.hpp"
#include "mcp/server/backend.hpp"

namespace gantry::mcp {

/// Decodes subscriptions/listen; the error is the response to the request.
std::expected<Interest, RpcError> read_interest(const Call& call);

/// One modern subscription on any transport: first the acknowledgement, then every requested change, each with the id
/// of the request that opened it.
class ListenLine {
public:
    /// `raw_id` as spelt by the client. `send` receives whole messages and never blocks.
    ListenLine(std::string raw_id, std::function<void(const std::string& message)> send)
        : id_(std::move(raw_id)), send_(std::move(send)) {}
    ListenLine(const ListenLine&) = delete;
    ListenLine& operator=(const ListenLine&) = delete;

    /// Opens the watch and sends the acknowledgement.
    Task<std::expected<void, RpcError>> open(const Context& ctx, Backend& backend, PeerPtr peer, Interest wanted);

    /// The result that ends a subscription cleanly.
    static std::string farewell(std::string_view raw_id, const Implementation& self);

private:
    void changed(const Change& change);
    bool wants(const Change& change) const;

    std::string id_;
    std::function<void(const std::string&)> send_;
    Interest honoured_;
    bool acknowledged_ = false;
    std::vector<Change> early_;  // changes before the acknowledgement
    std::unique_ptr<Watch> watch_;
};

}  // namespace gantry::mcp
