#include "gateway/sandbox/git_config.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "io/fd.hpp"

namespace gantry::gateway::sandbox {

namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

/// Quoted as a value of git's configuration.
std::string quoted(const std::string& path) {
    std::string text = "\"";
    for (const char c : path) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + '"';
}

Result<void> failed(const std::string& what) {
    return fail(ErrorCode::kUnsupported, "git's settings of the user: " + what + ": " + std::strerror(errno));
}

/// Creates `name` in `folder`, unless it exists.
Result<void> put(const Fd& folder, const char* name, const std::string& text) {
    const Fd file(::openat(folder.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return errno == EEXIST ? Result<void>() : failed(std::string("cannot make ") + name);
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return failed(std::string("cannot write ") + name);
    return {};
}

/// Opens a folder in `folder`, creating it if missing. An invalid descriptor: something else is there.
Fd folder_in(const Fd& folder, const char* name) {
    ::mkdirat(folder.get(), name, 0700);
    return Fd(::openat(folder.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

Result<void> include_git_config(const std::string& own, const std::string& home) {
    const bool odd = std::ranges::any_of(home, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    if (home.empty() || odd) return {};
    const Fd folder(::open(own.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return failed("cannot open " + own);
    const auto include = [](const std::string& file) { return "[include]\n\tpath = " + quoted(file) + "\n"; };

    const std::string settings = home + "/.gitconfig";
    if (is_file(settings))
        if (auto made = put(folder, ".gitconfig", include(settings)); !made) return made;

    // Two files, because git reads the first before the second.
    const std::string others = home + "/.config/git/";
    std::string text;
    if (is_file(others + "ignore")) text += "[core]\n\texcludesFile = " + quoted(others + "ignore") + "\n";
    if (is_file(others + "config")) text += include(others + "config");
    if (text.empty()) return {};
    const Fd above = folder_in(folder, ".config");
    const Fd beside = above ? folder_in(above, "git") : Fd();
    return beside ? put(beside, "config", text) : Result<void>();
}

}  // namespace gantry::gateway::sandbox
