#pragma once

#include <filesystem>
#include <string>

#include "gantry/error.hpp"
#include "gateway/catalog/name_book.hpp"

namespace gantry::gateway {

/// The default folder for persistent state, in the user's data folder. kInvalidArgument when there is no home.
Result<std::filesystem::path> default_state_folder();

/// Creates the folder if it is missing and checks that files can be created in it. kInvalidArgument says which folder,
/// what is wrong and what to do: a read-only or full disk is better reported now than at the first write.
Result<void> prepare_state_folder(const std::filesystem::path& folder);

/// Error for a file of the state folder that cannot be read; `lost` names what would be lost with it. Nothing is
/// discarded without an operator: the file may be the only copy.
Error damaged_file(const std::filesystem::path& file, const Error& why, std::string_view lost);

/// The public names assigned before. A file that cannot be read is reported, not overwritten.
Result<NameBook> load_names(const std::filesystem::path& state_dir);
Result<void> save_names(const std::filesystem::path& state_dir, const NameBook& names);

}  // namespace gantry::gateway
