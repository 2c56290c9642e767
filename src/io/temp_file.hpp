#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "gantry/error.hpp"

namespace gantry {

/// Bytes that are too many to hold: a file without a name in $TMPDIR or /tmp, which nobody else can open and which is
/// gone with the object. Writing and reading go through the page cache and do not wait for a disk.
class TempFile {
public:
    static Result<TempFile> create();
    TempFile(TempFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), size_(std::exchange(other.size_, 0)) {}
    TempFile& operator=(TempFile&&) = delete;
    ~TempFile();

    /// After an error the file is of no further use.
    Result<void> append(std::string_view bytes);
    /// Gives back what is kept; the file is of no further use.
    void drop() noexcept;

    /// The bytes at `offset`, as many as there are and fit.
    Result<std::size_t> read(std::size_t offset, std::span<char> into) const;
    std::size_t size() const noexcept { return size_; }

private:
    explicit TempFile(int fd) noexcept : fd_(fd) {}

    int fd_;
    std::size_t size_ = 0;
};

}  // namespace gantry
