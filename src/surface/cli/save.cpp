#include "surface/cli/save.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/try.hpp"

namespace gantry::cli {
namespace {

constexpr std::uint8_t kNone = 0xff;

constexpr std::array<std::uint8_t, 256> kValues = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(kNone);
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < kAlphabet.size(); ++i)
        values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    return values;
}();

Result<std::string> decoded(const std::string& base64) {
    if (auto bytes = from_base64(base64)) return *std::move(bytes);
    return fail(ErrorCode::kParse, "the server sent binary data that is not base64");
}

std::string numbered(const std::string& file, std::size_t number) {
    if (number == 1) return file;
    const std::filesystem::path path = file;
    return (path.parent_path() / (path.stem().string() + "-" + std::to_string(number) + path.extension().string()))
        .string();
}

Result<void> write_file(const std::string& file, const std::string& bytes) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    errno = 0;
    out << bytes;
    out.close();
    if (out) return {};
    return fail(ErrorCode::kInternal, "cannot write " + file + ": " + std::generic_category().message(errno));
}

}  // namespace

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
        if (value == kNone) return std::nullopt;
        bits = (bits << 6 | value) & 0xffffff;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
    }
    return bytes;
}

Result<std::vector<std::string>> binary_parts(const mcp::CallToolResult& result) {
    std::vector<std::string> parts;
    for (const mcp::Content& content : result.content) {
        const std::string* data = nullptr;
        if (const auto* image = std::get_if<mcp::ImageContent>(&content)) data = &image->data;
        if (const auto* audio = std::get_if<mcp::AudioContent>(&content)) data = &audio->data;
        const auto* embedded = std::get_if<mcp::EmbeddedResource>(&content);
        if (embedded != nullptr && embedded->resource.blob) data = &*embedded->resource.blob;
        if (data == nullptr) continue;
        GANTRY_TRY(std::string bytes, decoded(*data));
        parts.push_back(std::move(bytes));
    }
    return parts;
}

Result<std::vector<std::string>> parts_of(const mcp::ReadResourceResult& result) {
    std::vector<std::string> parts;
    for (const mcp::ResourceContents& contents : result.contents) {
        if (contents.text) parts.push_back(*contents.text);
        if (!contents.blob) continue;
        GANTRY_TRY(std::string bytes, decoded(*contents.blob));
        parts.push_back(std::move(bytes));
    }
    return parts;
}

Result<std::vector<std::string>> save_parts(const std::vector<std::string>& parts, const std::string& file) {
    if (parts.empty())
        return fail(ErrorCode::kNotFound,
                    "nothing to write to " + file + ": the result has no image, audio or binary data");
    std::vector<std::string> names;
    for (const std::string& part : parts) {
        names.push_back(numbered(file, names.size() + 1));
        GANTRY_CHECK(write_file(names.back(), part));
    }
    return names;
}

}  // namespace gantry::cli
