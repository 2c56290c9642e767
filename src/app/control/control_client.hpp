#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// Asks a running gateway over its control socket. Blocks: for commands.
class ControlClient {
public:
    explicit ControlClient(std::filesystem::path socket) : socket_(std::move(socket)) {}

    /// What the gateway answered; its refusal is an Error with its words.
    Result<Json> ask(const std::string& method, const std::string& target, const Json& body = {}) const;
    Result<Json> get(const std::string& target) const { return ask("GET", target); }

    /// One event of a stream: its data is a JSON text.
    using Heard = std::function<bool(std::string_view type, std::string_view data)>;
    /// Events of a stream until the gateway ends, `heard` says false, or Ctrl-C.
    Result<void> follow(const std::string& target, const Heard& heard) const;

private:
    std::filesystem::path socket_;
};

}  // namespace gantry::app
