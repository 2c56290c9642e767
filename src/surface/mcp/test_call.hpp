#pragma once
// Test support: a client's call.

#include <memory>
#include <string>

#include "base/json/scan.hpp"
#include "mcp/server/call.hpp"
#include "surface/mcp/stamp.hpp"

namespace gantry::surface {

inline const Stamp kStamp{.server_info = R"({"name":"gantry","version":"0"})"};

/// A call of a client of a given revision, with id "seven".
class From {
public:
    explicit From(mcp::Revision revision, mcp::ClientCapabilities capabilities = {})
        : view_(*json::scan_envelope(text_)) {
        auto peer = std::make_shared<mcp::Peer>();
        peer->revision = revision;
        peer->capabilities = std::move(capabilities);
        peer_ = std::move(peer);
    }
    mcp::Call call() const { return {.peer = peer_, .text = text_, .view = view_, .method = "tools/call"}; }

private:
    std::string text_ = R"({"jsonrpc":"2.0","id":"seven","method":"tools/call","params":{"name":"x"}})";
    json::EnvelopeView view_;
    mcp::PeerPtr peer_;
};

}  // namespace gantry::surface
