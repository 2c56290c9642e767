#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/client/client.hpp"
#include "transcripts/wire.hpp"

namespace gantry::mcp::testing {

/// The program of a transcript: a real client, the actions it performs, and their outcomes.
class Program {
public:
    explicit Program(Route route);

    /// Starts an action: "call add {…}", "cancel", …; README.md has the list. Returns at once.
    bool start(const std::string& words);
    /// Waits for the oldest unfinished action and compares its outcome.
    Task<bool> expect_outcome(const std::string& text);
    Task<void> end();

private:
    /// An action of the program and its outcome, as spelt in the transcript.
    struct Action {
        std::string words;
        CancelSource stop;
        std::optional<std::string> outcome;
        std::vector<std::string> progress;
    };

    void hear(std::string what);
    Task<void> listen(std::shared_ptr<Action> action);
    Task<void> run(std::shared_ptr<Action> action);
    Task<std::string> perform(const Context& ctx, Action& action);
    Task<std::string> call(const Context& ctx, std::string operand, Action& action);

    std::unique_ptr<Client> client_;
    std::deque<std::shared_ptr<Action>> actions_;
    std::deque<std::string> heard_;
    Event changed_;
    Scope scope_;
};

}  // namespace gantry::mcp::testing
