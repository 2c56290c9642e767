#include "surface/cli/exit_code.hpp"

#include <array>

#include "gantry/json.hpp"

namespace gantry::cli {
namespace {

struct Reason {
    std::string_view name;
    ExitCode code;
};
/// `data.reason` of a gateway's error answers.
constexpr std::array kReasons = {
    Reason{"approval_rejected", ExitCode::kAuthorization},
    Reason{"approval_expired", ExitCode::kTimeout},
    Reason{"denied", ExitCode::kAuthorization},
    Reason{"unauthorized", ExitCode::kAuthorization},
    Reason{"timeout", ExitCode::kTimeout},
    Reason{"connection failed", ExitCode::kConnection},
};

}  // namespace

ExitCode exit_code_of(const Error& error) {
    if (error.rpc() == nullptr || error.rpc()->data.empty()) return exit_code_for(error.code());
    const auto data = Json::parse(error.rpc()->data);
    const std::string_view reason = data && data->is_object() ? data->string_at("reason") : std::string_view();
    for (const Reason& known : kReasons) {
        if (known.name == reason) return known.code;
    }
    return exit_code_for(error.code());
}

}  // namespace gantry::cli
