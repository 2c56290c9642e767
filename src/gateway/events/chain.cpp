#include "gateway/events/chain.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/hex.hpp"
#include "base/try.hpp"

namespace gantry::gateway::events {
namespace {

constexpr const char* kFile = "audit.head";
constexpr std::string_view kMark = "gantry-audit-1 ";

void add_number(std::string& out, std::uint64_t number) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(number >> (56 - 8 * i));
    out.append(bytes, sizeof bytes);
}

/// Length-prefixed, so that bytes cannot move from one text to the next.
void add_text(std::string& out, std::string_view text) {
    add_number(out, text.size());
    out.append(text);
}

int nibble(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/// Fixed-width numbers, so that the file never changes its length.
std::string padded(const ChainLink& link) {
    const std::string text = to_text(link);
    const std::size_t colon = text.find(':');
    return std::string(20 - colon, '0') + text;
}

}  // namespace

std::string_view view_of(const ChainHash& hash) noexcept {
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

ChainHash chained(crypto::Sha256& sha, std::string& scratch, const ChainHash& before, const JournalEntry& entry) {
    // Hashed in one piece: each update costs as much as some sixty bytes of input.
    scratch.assign(view_of(before));
    add_number(scratch, static_cast<std::uint64_t>(entry.seq));
    add_number(scratch, static_cast<std::uint64_t>(entry.at));
    for (const std::string_view text : {entry.id, entry.type, entry.subject, entry.correlation, entry.data})
        add_text(scratch, text);
    sha.add(scratch);
    return sha.end();
}

std::string to_text(const ChainLink& link) {
    std::string out = std::to_string(link.seq) + ":";
    append_hex(out, link.hash);
    return out;
}

std::optional<ChainLink> link_from(std::string_view text) {
    ChainLink link;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), link.seq);
    const auto used = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || link.seq < 0 || text.size() != used + 1 + 2 * link.hash.size() || *end != ':')
        return std::nullopt;
    text.remove_prefix(used + 1);
    for (std::size_t i = 0; i < link.hash.size(); ++i) {
        const int high = nibble(text[2 * i]);
        const int low = nibble(text[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        link.hash[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return link;
}

Result<AnchorFile> AnchorFile::open(const std::filesystem::path& folder) {
    Fd fd(::open((folder / kFile).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return fail(ErrorCode::kDenied, (folder / kFile).string() + ": cannot be opened: " + std::strerror(errno));
    return AnchorFile(std::move(fd));
}

Result<void> AnchorFile::write(const Anchors& anchors, bool to_disk) noexcept {
    const std::string text = std::string(kMark) + padded(anchors.start) + " " + padded(anchors.head) + "\n";
    const bool written = ::pwrite(fd_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    if (!written || (to_disk && ::fdatasync(fd_.get()) != 0))
        return fail(ErrorCode::kInternal, std::string(kFile) + ": cannot be written: " + std::strerror(errno));
    return {};
}

Result<std::optional<Anchors>> AnchorFile::read(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / kFile;
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd && errno == ENOENT) return std::nullopt;
    if (!fd) return fail(ErrorCode::kDenied, file.string() + ": cannot be read: " + std::strerror(errno));
    char buffer[512];
    const ssize_t size = ::read(fd.get(), buffer, sizeof buffer);
    std::string_view text(buffer, size < 0 ? 0 : static_cast<std::size_t>(size));
    // Created, but the process ended before the first entry.
    if (text.empty()) return std::nullopt;
    const auto damaged = [&] { return fail(ErrorCode::kParse, file.string() + ": is damaged"); };
    if (!text.starts_with(kMark) || !text.ends_with('\n')) return damaged();
    text = text.substr(kMark.size(), text.size() - kMark.size() - 1);
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return damaged();
    const auto start = link_from(text.substr(0, space));
    const auto head = link_from(text.substr(space + 1));
    if (!start || !head) return damaged();
    return Anchors{*start, *head};
}

}  // namespace gantry::gateway::events
