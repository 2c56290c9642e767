#pragma once
// For tests: a folder removed with its owner, also if a test fails.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace gantry {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "gantry-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }

    /// Whether any file below contains these bytes.
    bool contains(std::string_view needle) const {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
            if (!entry.is_regular_file()) continue;
            std::ifstream in(entry.path(), std::ios::binary);
            std::stringstream content;
            content << in.rdbuf();
            if (content.str().find(needle) != std::string::npos) return true;
        }
        return false;
    }

private:
    std::filesystem::path path_;
};

}  // namespace gantry
