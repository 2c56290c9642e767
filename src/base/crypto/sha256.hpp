#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gantry::crypto {

/// Reusable SHA-256: avoids the setup cost of a one-shot digest. Belongs to one thread.
class Sha256 {
public:
    using Digest = std::array<std::uint8_t, 32>;

    Sha256();
    /// Adds to the input since the last end().
    void add(std::string_view bytes) noexcept;
    Digest end() noexcept;

private:
    struct Free {
        void operator()(void* context) const noexcept;
    };
    std::unique_ptr<void, Free> context_;
};

/// HMAC-SHA-256: 32 raw bytes.
std::string hmac_sha256(std::string_view key, std::string_view bytes);

}  // namespace gantry::crypto
