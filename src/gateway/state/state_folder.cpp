#include "gateway/state/state_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/try.hpp"
#include "io/private_file.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kNamesFile = "names.json";
constexpr std::size_t kMaxNamesBytes = 64u << 20;

}  // namespace

Result<std::filesystem::path> default_state_folder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/')
        return std::filesystem::path(data) / "gantry";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return std::filesystem::path(home) / ".local" / "share" / "gantry";
    return fail(ErrorCode::kInvalidArgument,
                "no home folder for the state; name a folder with --state-dir or state_dir");
}

Result<void> prepare_state_folder(const std::filesystem::path& folder) {
    const auto refused = [&folder](std::string_view what, const std::string& why) {
        return fail(ErrorCode::kInvalidArgument, "cannot " + std::string(what) + " state folder " + folder.string() +
                                                     ": " + why + "; choose another with --state-dir or state_dir");
    };
    std::error_code ignored;  // mkdir() below reports the error
    std::filesystem::create_directories(folder.parent_path(), ignored);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return refused("create", std::generic_category().message(errno));
    const auto opened = open_private_folder(folder);
    if (!opened) return refused("use", opened.error().message());
    // The name includes the process id: gateways may share the folder.
    const std::string probe = ".probe-" + std::to_string(::getpid());
    if (auto written = replace_private_file(*opened, probe.c_str(), "x"); !written)
        return refused("write to", written.error().message());
    ::unlinkat(opened->get(), probe.c_str(), 0);
    return {};
}

Error damaged_file(const std::filesystem::path& file, const Error& why, std::string_view lost) {
    const std::string name = file.string();
    return Error(ErrorCode::kInvalidArgument, name + " is damaged: " + why.message() +
                                                  "; restore it from a backup, or move it away (mv '" + name + "' '" +
                                                  name + ".damaged') and start again: " + std::string(lost));
}

Result<NameBook> load_names(const std::filesystem::path& state_dir) {
    GANTRY_TRY(const Fd folder, open_private_folder(state_dir));
    GANTRY_TRY(const auto text, read_private_file(folder, kNamesFile, kMaxNamesBytes));
    if (!text) return NameBook();
    const auto damaged = [&state_dir](const Error& why) {
        return fail(damaged_file(state_dir / kNamesFile, why,
                                 "public names are then assigned again, and tools of several servers with the same "
                                 "name may be renamed"));
    };
    auto json = Json::parse(*text);
    if (!json) return damaged(json.error());
    auto names = NameBook::from_json(*json);
    if (!names) return damaged(names.error());
    return *std::move(names);
}

Result<void> save_names(const std::filesystem::path& state_dir, const NameBook& names) {
    GANTRY_TRY(const Fd folder, open_private_folder(state_dir));
    return replace_private_file(folder, kNamesFile, names.to_json().dump());
}

}  // namespace gantry::gateway
