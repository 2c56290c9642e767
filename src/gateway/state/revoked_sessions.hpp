#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "io/private_file.hpp"
#include "mcp/server/revocations.hpp"

namespace gantry::gateway {

/// Revoked sessions, in a file of the state folder: they survive a restart and are shared by all instances that use the
/// folder. One fixed-length line each: a digest, and when the session id expires. Never the id itself.
///
/// Lines are only appended, under the folder's lock; an instance that finds the file full rewrites it. Memory is at
/// most one call of news() behind the file, and keeps entries that the file no longer has.
class RevokedSessions final : public mcp::Revocations {
public:
    struct Options {
        /// Reports one line to the operator.
        std::function<void(std::string_view)> note = {};
        /// Limit for the file and for memory.
        std::size_t most = 100'000;
    };
    explicit RevokedSessions(Options options);

    /// Loads the file and drops expired entries. Before it, and if it fails, revocations are in memory only. kDenied
    /// when the file is a link, owned by another user or accessible to others; kLimit when it is too large to be ours.
    Result<void> open(const std::filesystem::path& state_dir);

    /// Written to the file on return. If that fails, the revocation still holds in this process, the operator is
    /// notified, and the next call tries again.
    void revoke(const mcp::SessionDigest& session, std::int64_t expires) override;
    bool revoked(const mcp::SessionDigest& session) const noexcept override { return known_.contains(session); }
    /// One system call when nothing has changed.
    std::vector<mcp::SessionDigest> news() override;

private:
    Result<void> write_down(const mcp::SessionDigest& session, std::int64_t expires);
    Result<void> append(std::string line);
    Result<void> rewrite();
    /// Reads what other instances wrote.
    Result<void> catch_up();
    Result<void> take_file(Fd file);
    Result<void> read_from_here(std::size_t size);
    void tell_trouble(const Result<void>& done, std::string_view what, bool& told);
    void note(const std::string& text) const;
    std::size_t full_bytes() const noexcept;

    Options options_;
    mcp::RevokedSet known_;
    std::vector<mcp::SessionDigest> news_;
    Fd folder_;
    Fd file_;  // keeps the inode in use, so that a different number means a different file
    ino_t inode_ = 0;
    std::size_t read_ = 0;     // size of the complete lines read
    std::size_t seen_ = 0;     // file size at that time; larger than read_ when the last line is incomplete
    bool incomplete_ = false;  // the file lacks entries that are in memory
    bool told_full_ = false;
    bool told_unread_ = false;
    bool told_unwritten_ = false;
};

}  // namespace gantry::gateway
