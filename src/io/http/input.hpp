#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace gantry::http {

/// Received but unconsumed bytes of one connection.
///
/// Small messages fit an inline buffer; a large block is borrowed from the thread's pool only
/// while a message needs it, so that an idle connection costs little. Every buffer has kSlack
/// readable bytes after its end, for parsers that read whole vectors.
class Input {
public:
    static constexpr std::size_t kSmall = 2048;
    static constexpr std::size_t kBlock = 64u << 10;
    static constexpr std::size_t kSlack = 64;

    Input() = default;
    ~Input();
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    std::string_view bytes() const noexcept { return {data_ + begin_, end_ - begin_}; }
    std::span<char> writable() noexcept { return {data_ + begin_, end_ - begin_}; }
    bool empty() const noexcept { return begin_ == end_; }
    void consume(std::size_t count) noexcept { begin_ += count; }

    /// Space for the next read; `expected` is a size hint. Empty if all is used. Unconsumed bytes
    /// may be moved.
    std::span<char> prepare(std::size_t expected);
    void commit(std::size_t count) noexcept;

    /// Size hint for a head, from the previous messages.
    std::size_t expected_head() const noexcept { return large_messages_ ? kBlock : kSmall; }
    std::size_t last_read() const noexcept { return last_read_; }
    /// End of a message: records its size and returns the block if it is empty.
    void end_message() noexcept;

private:
    void use_block();
    void drop_block() noexcept;

    std::array<char, kSmall + kSlack> small_;
    char* data_ = small_.data();
    std::size_t capacity_ = kSmall;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t last_read_ = 0;
    std::size_t message_bytes_ = 0;
    bool large_messages_ = false;
    std::unique_ptr<char[]> block_;
};

}  // namespace gantry::http
