#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "support/raw_server.hpp"

namespace gantry::testing {

/// A server behind the gateway, made of canned bytes: tools with results of any size, and some that break midway. Every
/// tool takes {"bytes": N}.
///
///     big       N bytes of text
///     chatty    N bytes of progress on an event stream, then a short result
///     noisy     one notification of N bytes on an event stream, then a short result
///     cut       the connection ends in the middle
///     bad_utf8, twice, no_json, too_long: the text goes bad after N bytes
class Upstream {
public:
    Upstream();

    /// Its entry in a configuration.
    std::string entry(const std::string& more = {}) const;
    /// How many answers of "chatty" have been sent completely.
    int chats() const noexcept { return *chats_; }

private:
    std::shared_ptr<std::atomic<int>> chats_ = std::make_shared<std::atomic<int>>(0);
    std::unique_ptr<RawServer> server_;
};

}  // namespace gantry::testing
