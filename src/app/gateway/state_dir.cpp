#include "app/gateway/state_dir.hpp"

#include <cstdlib>

#include "auth/store/private_file.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

constexpr const char* kNamesFile = "names.json";
constexpr std::size_t kMaxNamesBytes = 64u << 20;

}  // namespace

Result<std::filesystem::path> default_state_dir() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/')
        return std::filesystem::path(data) / "gantry";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return std::filesystem::path(home) / ".local" / "share" / "gantry";
    return fail(ErrorCode::kInvalidArgument,
                "there is no home folder to keep state in; say where with --state-dir or state_dir");
}

Result<gateway::NameBook> load_names(const std::filesystem::path& state_dir) {
    GANTRY_TRY(const auth::Fd folder, auth::open_private_folder(state_dir));
    GANTRY_TRY(const auto text, auth::read_private_file(folder, kNamesFile, kMaxNamesBytes));
    if (!text) return gateway::NameBook();
    const std::string where = (state_dir / kNamesFile).string();
    auto json = Json::parse(*text);
    if (!json) return fail(json.error().within(where));
    auto names = gateway::NameBook::from_json(*json);
    if (!names) return fail(names.error().within(where));
    return *std::move(names);
}

Result<void> save_names(const std::filesystem::path& state_dir, const gateway::NameBook& names) {
    GANTRY_TRY(const auth::Fd folder, auth::open_private_folder(state_dir));
    return auth::replace_private_file(folder, kNamesFile, names.to_json().dump());
}

}  // namespace gantry::app
