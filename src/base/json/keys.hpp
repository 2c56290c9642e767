#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/text.hpp"

namespace gantry::json {

/// The keys of all objects open while a text is read; detects duplicates.
///
/// Small objects are searched linearly; larger ones get a hash table, so a hostile object
/// costs linear time. Short texts need no allocation.
class OpenKeys {
public:
    void open() {
        if (depth_ < kFrames) [[likely]]
            frames_[depth_] = {count_, 0};
        else
            more_frames_.push_back({count_, 0});
        ++depth_;
    }
    void close() noexcept {
        const Frame frame = top();
        --depth_;
        if (depth_ >= kFrames || count_ > kInline || frame.table != 0 || !unescaped_.empty()) [[unlikely]]
            release(frame);
        count_ = frame.first;
    }

    /// The unescaped key, or data() == nullptr if it is a duplicate, which ends the reading.
    /// `inside` must live until close(); the result does as well.
    [[gnu::always_inline]] std::string_view add(std::string_view inside, bool escaped) {
        if (escaped) [[unlikely]]
            inside = unescape(inside);
        const std::uint64_t tag = tag_of(inside);
        const std::size_t first = top().first;
        const Key key{inside.data(), inside.size(), escaped};
        if (count_ >= kInline || count_ - first >= kSmall) [[unlikely]] {
            return add_to_many(key, tag) ? inside : std::string_view{};
        }
        bool suspect = false;
        for (std::size_t i = first; i != count_; ++i) suspect |= tags_[i] == tag;
        if (suspect && has(first, inside)) [[unlikely]]
            return {};
        tags_[count_] = tag;
        keys_[count_++] = key;
        return inside;
    }

private:
    struct Key {
        const char* data;
        std::size_t size;
        bool owned;
        std::string_view view() const noexcept { return {data, size}; }
    };
    struct Frame {
        std::size_t first;
        std::size_t table;  // 0: none, else place in tables_ plus one
    };
    /// Open addressing; a slot holds a key's index plus one, relative to the object's first.
    using Table = std::vector<std::uint32_t>;

    static constexpr std::size_t kInline = 48;
    static constexpr std::size_t kSmall = 16;
    static constexpr std::size_t kFrames = 32;

    /// Distinguishes most keys without comparing their text.
    static std::uint64_t tag_of(std::string_view key) noexcept {
        const char* p = key.data();
        const std::size_t n = key.size();
        if (n >= 8) {
            std::uint64_t head;
            std::uint64_t tail;
            std::memcpy(&head, p, 8);
            std::memcpy(&tail, p + n - 8, 8);
            return head ^ (tail * 0x9E3779B97F4A7C15u) ^ (std::uint64_t{n} << 56);
        }
        if (n >= 4) {
            std::uint32_t head;
            std::uint32_t tail;
            std::memcpy(&head, p, 4);
            std::memcpy(&tail, p + n - 4, 4);
            return (std::uint64_t{head} << 32 | tail) ^ (std::uint64_t{n} << 56);
        }
        std::uint64_t tag = n << 56;
        for (std::size_t i = 0; i < n; ++i) tag = (tag << 8) ^ static_cast<unsigned char>(p[i]);
        return tag;
    }

    Frame& top() noexcept { return depth_ <= kFrames ? frames_[depth_ - 1] : more_frames_[depth_ - 1 - kFrames]; }
    const Key& at(std::size_t i) const noexcept { return i < kInline ? keys_[i] : more_[i - kInline]; }

    std::string_view unescape(std::string_view inside);
    bool has(std::size_t first, std::string_view key) const noexcept;
    void release(const Frame& frame) noexcept;
    bool add_to_many(const Key& key, std::uint64_t tag);
    bool insert(Table& table, std::size_t first, std::size_t place);

    std::size_t count_ = 0;
    std::size_t depth_ = 0;
    // Deliberately uninitialised: filled up to count_ and depth_.
    std::uint64_t tags_[kInline];
    Key keys_[kInline];
    Frame frames_[kFrames];
    std::vector<Key> more_;
    std::vector<Frame> more_frames_;
    std::vector<Table> tables_;
    std::forward_list<std::string> unescaped_;
};

}  // namespace gantry::json
