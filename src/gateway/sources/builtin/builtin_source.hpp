#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gantry/describe.hpp"
#include "gateway/ports/source.hpp"

namespace gantry::gateway {

/// A tool implemented by the gateway: its definition, and a function that receives arguments satisfying its schema. An
/// Error becomes a failed result.
struct BuiltinTool {
    std::string name;
    std::string description;
    Json input_schema;
    ToolHints hints = {};
    std::function<Result<std::string>(const Json& arguments)> run;
};

/// `function` takes a described struct and returns Result<std::string>.
template <class Arguments, class Function>
BuiltinTool make_builtin(std::string name, std::string description, Function function) {
    return {.name = std::move(name),
            .description = std::move(description),
            .input_schema = schema_of<Arguments>(),
            .hints = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
            .run = [function = std::move(function)](const Json& json) -> Result<std::string> {
                auto arguments = from_json<Arguments>(json);
                if (!arguments) return std::unexpected(arguments.error());
                return function(*arguments);
            }};
}

/// Tools implemented in this process: nothing to connect, always available.
class BuiltinSource final : public Source {
public:
    BuiltinSource(std::string name, std::vector<BuiltinTool> tools);

    const std::string& name() const noexcept override { return name_; }
    std::string_view kind() const noexcept override { return "native"; }
    SourceState state() const noexcept override { return SourceState::kReady; }
    std::string trouble() const override { return {}; }
    void start() override;
    Task<void> stop() override;
    InventoryPtr inventory() const override { return inventory_; }
    Task<Result<Output>> execute(const Context& ctx, const AdmittedCall& call, ReplyLine& line) override;
    Task<std::set<std::string>> follow(const Context& ctx, std::set<std::string> uris) override;
    void client_gone(const std::string&) override {}
    void watch(std::function<void(const SourceChange&)> tell) override { tell_ = std::move(tell); }

private:
    std::string name_;
    std::map<std::string, BuiltinTool, std::less<>> tools_;
    InventoryPtr inventory_;
    std::function<void(const SourceChange&)> tell_;
};

/// Sample tools for a fresh installation: echo, add, now.
std::vector<BuiltinTool> demo_tools();

}  // namespace gantry::gateway
