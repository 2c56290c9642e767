#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// Client of a running gateway's control socket. Blocking: for commands.
class ControlClient {
public:
    /// `timeout` applies to one answer; a reload connects every new server before it answers.
    explicit ControlClient(std::filesystem::path socket, Duration timeout = std::chrono::minutes(2))
        : socket_(std::move(socket)), timeout_(timeout) {}

    /// The gateway's answer; a refusal becomes an Error with its message.
    Result<Json> ask(const std::string& method, const std::string& target, const Json& body = {}) const;
    Result<Json> get(const std::string& target) const { return ask("GET", target); }

    /// One event of a stream; its data is JSON text.
    using Heard = std::function<bool(std::string_view type, std::string_view data)>;
    /// Reads a stream until the gateway ends it, `heard` returns false, standard output has no reader, or Ctrl-C.
    Result<void> follow(const std::string& target, const Heard& heard) const;

private:
    std::filesystem::path socket_;
    Duration timeout_;
};

}  // namespace gantry::app
