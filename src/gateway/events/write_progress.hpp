#pragma once

#include <cstdint>
#include <optional>

#include "gantry/error.hpp"
#include "gateway/ports/recorder.hpp"
#include "io/sync.hpp"

namespace gantry::gateway::events {

/// How far the journal has got, as far as the loop knows: which records are on disk, whether writing works, and the
/// tasks that wait for either. On the loop.
class WriteProgress {
public:
    enum class State : std::uint8_t {
        kPending,
        kStored,
        kLate,  // the store failed after the record was queued: it is stored later, if at all
    };

    /// Between open() and close() reports keep coming, so that waiting makes sense.
    void open() noexcept { open_ = true; }
    void close() noexcept { open_ = false; }

    /// Numbers a record that has been queued. Never 0.
    Recorder::Ticket take() noexcept { return ++taken_; }
    std::uint64_t taken() const noexcept { return taken_; }

    /// All records up to this one are on disk. True: the store had failed before.
    bool on_stored(std::uint64_t up_to) noexcept;
    /// Nothing can be stored at present; callers do not wait for the recovery. True: it worked until now.
    bool on_failed(const Error& error);

    /// Why nothing can be written at present; null: writing works.
    const Error* trouble() const noexcept { return trouble_ ? &*trouble_ : nullptr; }
    State state_of(Recorder::Ticket ticket) const noexcept;
    /// Waits until it is no longer pending; not beyond close(), nor before open().
    Task<Result<State>> settled(const Context& ctx, Recorder::Ticket ticket);

    /// Incremented with every report.
    std::uint64_t changes() const noexcept { return changes_; }
    /// Returns when changes() may have advanced.
    Task<Result<void>> changed(const Context& ctx) { return changed_.wait(ctx); }
    void wake_watchers() noexcept { changed_.pulse(); }

private:
    std::uint64_t taken_ = 0;
    std::uint64_t on_disk_ = 0;
    std::uint64_t given_up_ = 0;  // tickets up to this one could not be stored in time
    std::uint64_t changes_ = 0;
    std::optional<Error> trouble_;
    bool open_ = false;
    Event changed_;
};

}  // namespace gantry::gateway::events
