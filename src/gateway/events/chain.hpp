#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "auth/jose/sha256.hpp"
#include "gantry/error.hpp"

namespace gantry::gateway::events {

using ChainHash = jose::Sha256::Digest;
std::string_view view_of(const ChainHash& hash) noexcept;

/// One entry of the journal as it is kept and chained.
struct JournalEntry {
    std::int64_t seq = 0;
    std::int64_t at = 0;  // microseconds since 1970
    std::string_view id;
    std::string_view type;
    std::string_view subject;
    std::string_view correlation;
    std::string_view data;
};

/// The hash of an entry includes the one before it and everything it says, so that no entry can be changed, dropped or
/// moved without all later hashes becoming wrong.
/// `scratch` is room for what is hashed, kept by whoever hashes many.
ChainHash chained(jose::Sha256& sha, std::string& scratch, const ChainHash& before, const JournalEntry& entry);

/// A place in the chain: an entry and its hash. The place before the first entry is {0, zeros}.
struct ChainLink {
    std::int64_t seq = 0;
    ChainHash hash = {};
    bool operator==(const ChainLink&) const = default;
};
/// "1234:5f3c…", to be written down elsewhere.
std::string to_text(const ChainLink& link);
std::optional<ChainLink> link_from(std::string_view text);

/// Where the chain begins and ends, kept in a file beside the database: entries that are missing at either end break
/// no hash, and are found by this alone. `start` is the last entry that was let go by retention.
struct Anchors {
    ChainLink start;
    ChainLink head;
};

/// The file "audit.head". The database may be ahead of its head, since that is written after each commit; never behind.
class AnchorFile {
public:
    static Result<AnchorFile> open(const std::filesystem::path& folder);
    AnchorFile(AnchorFile&& other) noexcept;
    AnchorFile& operator=(AnchorFile&& other) noexcept;
    ~AnchorFile();

    /// `to_disk`: before something is removed for good.
    Result<void> write(const Anchors& anchors, bool to_disk = false) noexcept;

    /// Empty: there is none. kParse: it is damaged.
    static Result<std::optional<Anchors>> read(const std::filesystem::path& folder);

private:
    explicit AnchorFile(int fd) noexcept : fd_(fd) {}
    int fd_ = -1;
};

}  // namespace gantry::gateway::events
