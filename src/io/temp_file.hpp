#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "gantry/error.hpp"
#include "io/fd.hpp"

namespace gantry {

/// Bytes too many to hold in memory: an unnamed file in $TMPDIR or /tmp, which no other process can open and which is
/// removed with the object. Writing and reading go through the page cache and do not wait for a disk.
class TempFile {
public:
    static Result<TempFile> create();
    TempFile(TempFile&& other) noexcept : fd_(std::move(other.fd_)), size_(std::exchange(other.size_, 0)) {}
    TempFile& operator=(TempFile&&) = delete;

    /// After an error the file is unusable.
    Result<void> append(std::string_view bytes);
    /// Frees the storage; the file is then unusable.
    void drop() noexcept;

    /// Reads the bytes at `offset`, as many as available and fit.
    Result<std::size_t> read(std::size_t offset, std::span<char> into) const;
    std::size_t size() const noexcept { return size_; }

private:
    explicit TempFile(Fd fd) noexcept : fd_(std::move(fd)) {}

    Fd fd_;
    std::size_t size_ = 0;
};

}  // namespace gantry
