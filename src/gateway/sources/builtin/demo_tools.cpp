#include <chrono>
#include <format>

#include "gateway/sources/builtin/builtin_source.hpp"

namespace gantry::gateway {

struct EchoArguments {
    std::string message;
};
GANTRY_DESCRIBE(EchoArguments, (message, "What to say back"))

struct AddArguments {
    double a;
    double b;
};
GANTRY_DESCRIBE(AddArguments, (a, "First summand"), (b, "Second summand"))

struct NowArguments {
    std::optional<std::int64_t> offset_minutes;
};
GANTRY_DESCRIBE(NowArguments, (offset_minutes, "Minutes east of UTC; UTC if left out"))

std::vector<BuiltinTool> demo_tools() {
    std::vector<BuiltinTool> tools;
    tools.push_back(make_builtin<EchoArguments>(
        "echo", "Says back what it is told",
        [](const EchoArguments& arguments) { return Result<std::string>(arguments.message); }));
    tools.push_back(make_builtin<AddArguments>("add", "Adds two numbers", [](const AddArguments& arguments) {
        return Result<std::string>(Json(arguments.a + arguments.b).dump());
    }));
    tools.push_back(make_builtin<NowArguments>(
        "now", "Tells the date and time", [](const NowArguments& arguments) -> Result<std::string> {
            constexpr std::int64_t kMost = 14 * 60;
            const std::int64_t offset = arguments.offset_minutes.value_or(0);
            if (offset < -kMost || offset > kMost)
                return fail(ErrorCode::kInvalidArgument, "offset_minutes must lie between -840 and 840");
            const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) +
                             std::chrono::minutes(offset);
            return std::format("{:%FT%T}{}{:02}:{:02}", now, offset < 0 ? '-' : '+', std::abs(offset) / 60,
                               std::abs(offset) % 60);
        }));
    tools.back().hints.idempotent = false;
    return tools;
}

}  // namespace gantry::gateway
