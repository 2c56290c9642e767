#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// Asks a running gateway over its control socket. Blocks: for commands.
class ControlClient {
public:
    /// `timeout` is for one answer; a reload connects every new server before it answers.
    explicit ControlClient(std::filesystem::path socket, Duration timeout = std::chrono::minutes(2))
        : socket_(std::move(socket)), timeout_(timeout) {}

    /// What the gateway answered; its refusal is an Error with its words.
    Result<Json> ask(const std::string& method, const std::string& target, const Json& body = {}) const;
    Result<Json> get(const std::string& target) const { return ask("GET", target); }

    /// One event of a stream: its data is a JSON text.
    using Heard = std::function<bool(std::string_view type, std::string_view data)>;
    /// Events of a stream until the gateway ends, `heard` returns false, standard output has no reader, or Ctrl-C.
    Result<void> follow(const std::string& target, const Heard& heard) const;

private:
    std::filesystem::path socket_;
    Duration timeout_;
};

}  // namespace gantry::app
