#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/crypto/sha256.hpp"
#include "gantry/error.hpp"
#include "io/fd.hpp"

namespace gantry::gateway::events {

using ChainHash = crypto::Sha256::Digest;
std::string_view view_of(const ChainHash& hash) noexcept;

/// One entry of the journal, as stored and chained.
struct JournalEntry {
    std::int64_t seq = 0;
    std::int64_t at = 0;  // microseconds since 1970
    std::string_view id;
    std::string_view type;
    std::string_view subject;
    std::string_view correlation;
    std::string_view data;
};

/// The hash of an entry covers all of its fields and the previous hash, so that changing, dropping or moving an entry
/// invalidates all later hashes.
/// `scratch` is a buffer the caller may reuse between calls.
ChainHash chained(crypto::Sha256& sha, std::string& scratch, const ChainHash& before, const JournalEntry& entry);

/// A position in the chain: an entry and its hash. The position before the first entry is {0, zeros}.
struct ChainLink {
    std::int64_t seq = 0;
    ChainHash hash = {};
    bool operator==(const ChainLink&) const = default;
};
/// "1234:5f3c…", for storing elsewhere and comparing later.
std::string to_text(const ChainLink& link);
std::optional<ChainLink> link_from(std::string_view text);

/// Where the chain begins and ends, stored in a file beside the database: entries missing at either end break no hash
/// and are detected only by this file. `start` is the last entry that retention removed.
struct Anchors {
    ChainLink start;
    ChainLink head;
};

/// The file "audit.head". The database may be ahead of its head, since the file is written after each commit; never
/// behind.
class AnchorFile {
public:
    static Result<AnchorFile> open(const std::filesystem::path& folder);

    /// `to_disk` syncs the file; needed before entries are removed permanently.
    Result<void> write(const Anchors& anchors, bool to_disk = false) noexcept;

    /// Empty: there is no such file. kParse: it is damaged.
    static Result<std::optional<Anchors>> read(const std::filesystem::path& folder);

private:
    explicit AnchorFile(Fd fd) noexcept : fd_(std::move(fd)) {}
    Fd fd_;
};

}  // namespace gantry::gateway::events
