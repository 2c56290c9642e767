#include "gateway/state/inventory_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "io/private_file.hpp"

namespace gantry::gateway {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

/// Identifies how a server is reached without repeating it: arguments and URLs may contain secrets. Values of variables
/// and headers are excluded, because they change with every new password.
std::string file_of(const McpServerSpec& spec) {
    std::string all;
    const auto add = [&all](std::string_view part) {
        all.append(std::to_string(part.size())).append(":").append(part);
    };
    add(spec.name);
    add(spec.command);
    add(std::to_string(spec.args.size()));
    for (const std::string& arg : spec.args) add(arg);
    add(spec.cwd);
    add(std::to_string(spec.env.size()));
    for (const auto& [name, value] : spec.env) add(name);
    add(spec.url);
    for (const auto& [name, value] : spec.headers) add(name);
    return crypto::base64url_encode(crypto::sha256(all)).append(kEnding);
}

std::string digest(std::string_view text) {
    return std::string(crypto::sha256(text));
}

}  // namespace

InventoryFiles::InventoryFiles(fs::path folder, std::function<void(std::string_view)> note, Limits limits)
    : folder_(std::move(folder)), note_(std::move(note)), limits_(limits) {}

std::optional<std::string> InventoryFiles::recall(const McpServerSpec& spec) {
    const std::string name = file_of(spec);
    const auto folder = open_private_folder(folder_);
    if (!folder) {
        note(spec, "its stored inventory cannot be read: " + folder.error().message());
        return std::nullopt;
    }
    auto text = read_private_file(*folder, name.c_str(), limits_.bytes);
    if (!text) {
        note(spec, "its stored inventory cannot be read: " + text.error().message());
        return std::nullopt;
    }
    if (!*text) return std::nullopt;
    ::utimensat(folder->get(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);  // marks it as recently used
    known_[name] = digest(**text);
    return *std::move(text);
}

void InventoryFiles::keep(const McpServerSpec& spec, std::string_view text) {
    const std::string name = file_of(spec);
    if (std::exchange(known_[name], digest(text)) == digest(text)) return;
    if (text.size() > limits_.bytes) {
        std::error_code ignored;
        fs::remove(folder_ / name, ignored);  // no list rather than an outdated one
        return note(spec, "its inventory is too large to be stored for the next start");
    }
    if (auto stored = store(name, text); !stored) {
        known_.erase(name);
        note(spec, "its inventory could not be stored for the next start: " + stored.error().message());
    }
}

Result<void> InventoryFiles::store(const std::string& name, std::string_view text) {
    GANTRY_TRY(const Fd folder, open_private_folder(folder_));
    GANTRY_CHECK(replace_private_file(folder, name.c_str(), text));
    drop_oldest();
    return {};
}

void InventoryFiles::drop_oldest() const {
    std::error_code error;
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    for (auto at = fs::directory_iterator(folder_, error); !error && at != fs::directory_iterator();
         at.increment(error)) {
        std::error_code gone;
        const auto time = at->last_write_time(gone);
        if (!gone && at->path().extension() == kEnding) files.emplace_back(time, at->path());
    }
    if (files.size() <= limits_.files) return;
    std::ranges::sort(files);
    files.resize(files.size() - limits_.files);
    for (const auto& [time, path] : files) fs::remove(path, error);
}

void InventoryFiles::note(const McpServerSpec& spec, const std::string& what) const {
    if (note_) note_(spec.name + ": " + what);
}

}  // namespace gantry::gateway
