#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "auth/jose/sha256.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/record.hpp"
#include "gateway/ports/event_sink.hpp"
#include "gateway/ports/recorder.hpp"

namespace gantry {
class Redactor;
}

namespace gantry::gateway::events {

/// Hears of everything at once, on the loop. Must not wait.
class Listener {
public:
    virtual ~Listener() = default;
    /// The texts of `record` are valid during the call.
    virtual void heard(const Record& record) noexcept = 0;
    /// The same with everything a call brought; by default only the record counts.
    virtual void heard_call(const Record& record, const Outcome& outcome) noexcept {
        static_cast<void>(outcome);
        heard(record);
    }
    /// Looks at what a record says of a call's arguments. Digesting them costs more than all the rest, so it is done
    /// only where somebody does.
    virtual bool reads_arguments() const noexcept { return false; }
};

/// Takes records to where they last.
class Keeper {
public:
    virtual ~Keeper() = default;
    /// 0: there is nothing to wait for.
    virtual Recorder::Ticket keep(const Record& record) noexcept = 0;
    virtual Task<Result<void>> kept(const Context& ctx, Recorder::Ticket ticket) = 0;
    virtual const Error* refusal() const noexcept = 0;
};

struct BusOptions {
    ArgumentRecord arguments = ArgumentRecord::kSize;
    /// Mixed into digests of arguments, so that nobody can guess them from the outside.
    std::string digest_key = {};
    /// Takes secrets out of what could hold some: messages, what callers made up, values, data of events. Null: nothing
    /// is taken out. Must outlive the bus.
    const Redactor* redactor = nullptr;
};

/// The one place everything that happens passes through: each call exactly once, and every event. Belongs to one loop.
class Bus final : public Recorder, public EventSink {
public:
    explicit Bus(BusOptions options);

    /// Null: nothing is kept. Must outlive the bus or be taken away.
    void keep_with(Keeper* keeper) noexcept { keeper_ = keeper; }
    void add(Listener& listener) {
        listeners_.push_back(&listener);
        argument_readers_ += listener.reads_arguments() ? 1 : 0;
    }
    void remove(Listener& listener) {
        if (std::erase(listeners_, &listener) > 0) argument_readers_ -= listener.reads_arguments() ? 1 : 0;
    }

    Ticket record(const Outcome& outcome) noexcept override;
    Task<Result<void>> kept(const Context& ctx, Ticket ticket) override;
    const Error* refusal() const noexcept override { return keeper_ == nullptr ? nullptr : keeper_->refusal(); }

    bool listening() const noexcept override { return keeper_ != nullptr || !listeners_.empty(); }
    void publish(const GatewayEvent& event) noexcept override;

    /// How much of arguments is recorded from now on.
    void record_arguments(ArgumentRecord arguments) noexcept { options_.arguments = arguments; }

    std::uint64_t count() const noexcept { return count_; }

private:
    void add_arguments(Record& record, std::string_view arguments) noexcept;
    Ticket tell(const Record& record, const Outcome& outcome) noexcept;

    BusOptions options_;
    Keeper* keeper_ = nullptr;
    std::vector<Listener*> listeners_;
    std::size_t argument_readers_ = 0;
    std::uint64_t count_ = 0;
    jose::Sha256 sha_;
};

}  // namespace gantry::gateway::events
