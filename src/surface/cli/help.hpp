#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace gantry::cli {

/// Gantry's help layout: what a command does, its usage, its options by group, an example.
class HelpFormatter final : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// How an option or an operand is written: "-H, --header NAME:VALUE", "TOOL".
std::string spelling_of(const CLI::Option& option);

/// `gantry help exit-codes`.
std::string_view exit_codes_help();

}  // namespace gantry::cli
