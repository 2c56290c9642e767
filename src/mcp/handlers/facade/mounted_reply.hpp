#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "gantry/mount.hpp"

namespace gantry::detail {

class MountedExchange;
struct Gate;

/// One response between the loop, which writes it, and the program's thread, which reads it. Bounded: the writer waits
/// once kQueued bytes are unread.
class MountedReply : public std::enable_shared_from_this<MountedReply> {
public:
    static constexpr std::size_t kQueued = 64u << 10;

    explicit MountedReply(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}

    struct Head {
        int status = 0;
        Fields headers;
        std::optional<std::uint64_t> length;
    };

    // The writer's side; from the loop's thread.

    /// False if the reader has gone.
    bool begin(Head head);
    bool begun() const;
    /// Takes as much as there is room for. Returns the number of bytes taken, which may be none: wait for the
    /// exchange's on_room(). Empty optional: the reader has gone.
    std::optional<std::size_t> push(std::string_view bytes);
    void finish();
    /// Ends an unfinished response: 500 if it has not begun, else cut off.
    void end(const Error& why);
    bool abandoned() const;
    /// The exchange that writes, called back when the reader took something or has gone; null once it is over.
    void attach(MountedExchange* exchange) noexcept { exchange_ = exchange; }

    // The reader's side; from any thread.

    Result<Head> wait_for_head();
    Result<std::optional<std::string>> read(std::optional<std::chrono::milliseconds> timeout);
    void abandon();

private:
    void call_back();

    const std::shared_ptr<Gate> gate_;
    MountedExchange* exchange_ = nullptr;  // loop thread only

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Head> head_;  // guarded by mutex_, like the following
    std::string unread_;
    bool writer_waits_ = false;
    bool finished_ = false;
    bool abandoned_ = false;
    std::optional<Error> broken_;
};

}  // namespace gantry::detail
