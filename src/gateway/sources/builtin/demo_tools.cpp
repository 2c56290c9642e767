#include <array>
#include <cstdlib>
#include <ctime>

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
            const std::time_t now = std::time(nullptr) + offset * 60;
            std::tm parts{};
            ::gmtime_r(&now, &parts);
            std::array<char, 40> text{};
            const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
            std::string zone = std::to_string(10'000 + std::abs(offset) / 60 * 100 + std::abs(offset) % 60);
            zone[0] = offset < 0 ? '-' : '+';
            return std::string(text.data(), size) + zone.insert(3, ":");
        }));
    tools.back().hints.idempotent = false;
    return tools;
}

}  // namespace gantry::gateway
