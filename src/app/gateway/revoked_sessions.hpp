#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/store/private_file.hpp"
#include "gantry/error.hpp"
#include "mcp/server/revocations.hpp"

namespace gantry::app {

/// Sessions that were ended, in a file of the state folder: known after a restart, and to every instance that shares
/// the folder. One line each, of one length: a digest, and when the id expires. Never the id.
///
/// Lines are only ever added, under the folder's lock; whoever finds the file full writes it anew. Memory is never
/// behind the file for longer than news() is not called, and never forgets because the file did.
class RevokedSessions final : public mcp::Revocations {
public:
    struct Options {
        /// One line that somebody should read.
        std::function<void(std::string_view)> note = {};
        /// In the file, and in memory.
        std::size_t most = 100'000;
    };
    explicit RevokedSessions(Options options);

    /// Reads what is there and drops what has expired. Before it, and when it fails, everything is in memory only.
    /// kDenied when the file is a link, not ours or open to others; kLimit when it is too large to be ours.
    Result<void> open(const std::filesystem::path& state_dir);

    /// On file when it returns. When that fails it still holds here, somebody is told, and the next one tries again.
    void revoke(const mcp::SessionDigest& session, std::int64_t expires) override;
    bool revoked(const mcp::SessionDigest& session) const noexcept override { return known_.contains(session); }
    /// One system call when nothing is new.
    std::vector<mcp::SessionDigest> news() override;

private:
    Result<void> write_down(const mcp::SessionDigest& session, std::int64_t expires);
    Result<void> append(std::string line);
    Result<void> rewrite();
    /// Takes up what others wrote.
    Result<void> catch_up();
    Result<void> take_file(auth::Fd file);
    Result<void> read_from_here(std::size_t size);
    void tell_trouble(const Result<void>& done, std::string_view what, bool& told);
    void note(const std::string& text) const;
    std::size_t full_bytes() const noexcept;

    Options options_;
    mcp::RevokedSet known_;
    std::vector<mcp::SessionDigest> news_;
    auth::Fd folder_;
    auth::Fd file_;  // keeps its inode from being used again, so that another number means another file
    ino_t inode_ = 0;
    std::size_t read_ = 0;     // of whole lines
    std::size_t seen_ = 0;     // the size at that time: more than read_ when the last line has no end
    bool incomplete_ = false;  // the file lacks what we know
    bool told_full_ = false;
    bool told_unread_ = false;
    bool told_unwritten_ = false;
};

}  // namespace gantry::app
