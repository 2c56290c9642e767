#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/text.hpp"

namespace gantry::json {

/// The keys of all objects that are open while a text is read; says when one comes twice.
///
/// Small objects compare with what they have; one with more keys than that gets a hash
/// table, so a hostile object costs linear time. Short texts need no allocation.
class OpenKeys {
public:
    void open() {
        if (depth_ >= frames_.size())
            more_frames_.push_back({count_, 0});
        else
            frames_[depth_] = {count_, 0};
        ++depth_;
    }
    void close() noexcept {
        const Frame frame = top();
        --depth_;
        if (depth_ >= frames_.size()) more_frames_.pop_back();
        if (frame.table != 0) tables_.pop_back();
        if (!unescaped_.empty()) forget_unescaped(frame.first);
        if (!more_.empty()) more_.resize(frame.first > kInline ? frame.first - kInline : 0);
        count_ = frame.first;
    }

    /// The key as it reads, or data() == nullptr when the innermost object has it already.
    /// `inside` must live until close(); what comes back does as well.
    std::string_view add(std::string_view inside, bool escaped) {
        if (escaped) [[unlikely]]
            inside = unescape(inside);
        const Key key{inside.data(), inside.size(), tag_of(inside), escaped};
        Frame& frame = top();
        const std::size_t have = count_ - frame.first;
        if (have < kSmall) {
            for (std::size_t i = frame.first; i != count_; ++i) {
                const Key& other = at(i);
                if (other.tag == key.tag && other.view() == inside) [[unlikely]] {
                    push(key);
                    return {};
                }
            }
            push(key);
            return inside;
        }
        push(key);
        return add_to_table(frame) ? inside : std::string_view{};
    }

private:
    struct Key {
        const char* data;
        std::size_t size;
        std::uint64_t tag;
        bool owned;
        std::string_view view() const noexcept { return {data, size}; }
    };
    struct Frame {
        std::size_t first;
        std::size_t table;  // 0: none, else place in tables_ plus one
    };
    /// Open addressing; a slot holds a key's place plus one, counted from the object's first.
    using Table = std::vector<std::uint32_t>;

    static constexpr std::size_t kInline = 48;
    static constexpr std::size_t kSmall = 16;

    /// Tells most keys apart without looking at their text.
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

    Frame& top() noexcept {
        return depth_ <= frames_.size() ? frames_[depth_ - 1] : more_frames_[depth_ - 1 - frames_.size()];
    }
    Key& at(std::size_t i) noexcept { return i < kInline ? keys_[i] : more_[i - kInline]; }
    void push(const Key& key) {
        if (count_ < kInline)
            keys_[count_] = key;
        else
            more_.push_back(key);
        ++count_;
    }

    std::string_view unescape(std::string_view inside);
    void forget_unescaped(std::size_t first) noexcept;
    bool add_to_table(Frame& frame);
    bool insert(Table& table, std::size_t first, std::size_t place);

    std::size_t count_ = 0;
    std::size_t depth_ = 0;
    std::array<Key, kInline> keys_;  // uninitialised on purpose: filled up to count_
    std::array<Frame, 32> frames_;   // likewise, up to depth_
    std::vector<Key> more_;
    std::vector<Frame> more_frames_;
    std::vector<Table> tables_;
    std::forward_list<std::string> unescaped_;
};

}  // namespace gantry::json
