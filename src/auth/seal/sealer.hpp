#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::auth {

using WallClock = std::chrono::system_clock;

struct Rotation {
    std::chrono::seconds rotate_after = std::chrono::days(30);
    std::chrono::seconds keep_for = std::chrono::days(8);
    /// For tests; unset: the system clock.
    std::function<WallClock::time_point()> now = {};
};

/// Seals small values into tokens only this installation can read or create: session ids, request states, task ids.
///
///     std::string token = sealer.seal("session", bytes);      // text for headers and JSON
///     Result<std::string> bytes = sealer.open("session", token);
///
/// AES-256-GCM with the purpose authenticated, so that a token for one purpose is useless for another. The key schedule
/// is computed once per key, not per token. Belongs to one thread.
class Sealer {
public:
    /// For tests and one-off programs: a key that is not stored.
    static Result<Sealer> ephemeral();

    /// Keys stored in `folder` (created 0700; the file 0600), generated on first use. A key older than `rotate_after`
    /// is replaced for sealing; it still opens until `keep_for` after that. Several processes may share the folder.
    /// kDenied if the folder or file is not private.
    ///
    /// `keep_for` must be at least the longest lifetime of a sealed value.
    static Result<Sealer> from_folder(const std::filesystem::path& folder, Rotation rotation = {});

    Sealer(Sealer&&) noexcept;
    Sealer& operator=(Sealer&&) noexcept;
    ~Sealer();

    /// URL-safe text without padding.
    std::string seal(std::string_view purpose, std::string_view plain);
    /// kDenied for anything that was altered, has another purpose, or whose key is gone. For an unknown key the folder
    /// is reread, at most once a minute: another process may have rotated.
    Result<std::string> open(std::string_view purpose, std::string_view token);

private:
    class Impl;
    explicit Sealer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::auth
