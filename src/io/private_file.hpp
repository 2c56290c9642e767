#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "io/fd.hpp"

namespace gantry {

/// Creates the folder with 0700 if needed. kDenied if it has another owner or others may write there.
Result<Fd> open_private_folder(const std::filesystem::path& folder);

/// Waits for other processes that use this folder.
Result<Fd> lock_folder(const Fd& folder);

/// A named lock in the folder, or nothing while it is held elsewhere; `name` is hashed. Released by closing the
/// descriptor, also at process exit.
Result<std::optional<Fd>> try_lock_name(const Fd& folder, std::string_view name);

/// Empty optional if there is no such file. kDenied if it is a link, not ours, or accessible to group or others.
Result<std::optional<std::string>> read_private_file(const Fd& folder, const char* name, std::size_t limit);

/// For reading and appending, created with 0600 if missing. kDenied as above.
Result<Fd> open_private_log(const Fd& folder, const char* name);

/// Atomic and durable: writes a temporary file, flushes it, renames it, flushes the folder.
Result<void> replace_private_file(const Fd& folder, const char* name, std::string_view content);

}  // namespace gantry
