#include "io/http/input.hpp"

#include <cstring>
#include <vector>

namespace gantry::http {
namespace {

/// Unused blocks of this thread. Enough to absorb bursts, few enough to be negligible.
class BlockPool {
public:
    std::unique_ptr<char[]> take() {
        if (free_.empty()) {
            auto block = std::make_unique_for_overwrite<char[]>(Input::kBlock + Input::kSlack);
            std::memset(block.get() + Input::kBlock, 0, Input::kSlack);
            return block;
        }
        auto block = std::move(free_.back());
        free_.pop_back();
        return block;
    }
    void give(std::unique_ptr<char[]> block) {
        if (free_.size() < kKept) free_.push_back(std::move(block));
    }

private:
    static constexpr std::size_t kKept = 64;
    std::vector<std::unique_ptr<char[]>> free_;
};

BlockPool& pool() {
    thread_local BlockPool blocks;
    return blocks;
}

}  // namespace

Input::~Input() {
    drop_block();
}

std::span<char> Input::prepare(std::size_t expected) {
    if (empty()) {
        begin_ = end_ = 0;
        if (expected > kSmall) {
            use_block();
        } else {
            drop_block();
        }
    } else if (end_ == capacity_) {
        if (!block_) {
            use_block();
        } else if (begin_ == 0) {
            return {};
        } else {
            std::memmove(data_, data_ + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
    }
    return {data_ + end_, capacity_ - end_};
}

void Input::commit(std::size_t count) noexcept {
    end_ += count;
    last_read_ = count;
    message_bytes_ += count;
}

void Input::end_message() noexcept {
    large_messages_ = message_bytes_ > kSmall;
    message_bytes_ = end_ - begin_;
    if (empty()) {
        begin_ = end_ = 0;
        drop_block();
    }
}

void Input::use_block() {
    if (block_) return;
    block_ = pool().take();
    std::memcpy(block_.get(), data_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    data_ = block_.get();
    capacity_ = kBlock;
}

void Input::drop_block() noexcept {
    if (!block_) return;
    pool().give(std::move(block_));
    block_ = nullptr;
    data_ = small_.data();
    capacity_ = kSmall;
}

}  // namespace gantry::http
