#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/crypto/sha256.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/record.hpp"
#include "gateway/ports/event_sink.hpp"
#include "gateway/ports/recorder.hpp"

namespace gantry {
class Redactor;
}

namespace gantry::gateway::events {

/// Synchronous observer of every record, on the loop. Must not block.
class EventListener {
public:
    virtual ~EventListener() = default;
    /// The texts of `record` are valid during the call.
    virtual void heard(const Record& record) noexcept = 0;
    /// Like heard(), with everything known about the call; by default forwards only the record.
    virtual void heard_call(const Record& record, const Outcome& outcome) noexcept {
        static_cast<void>(outcome);
        heard(record);
    }
    /// Whether it reads what a record says of a call's arguments. Digesting them costs more than everything else
    /// together, so it is done only if some listener needs it.
    virtual bool reads_arguments() const noexcept { return false; }
};

/// Stores records durably.
class DurableSink {
public:
    virtual ~DurableSink() = default;
    /// Returns 0 when there is nothing to wait for.
    virtual Recorder::Ticket keep(const Record& record) noexcept = 0;
    virtual Task<Result<void>> kept(const Context& ctx, Recorder::Ticket ticket) = 0;
    virtual const Error* refusal() const noexcept = 0;
};

struct BusOptions {
    ArgumentRecord arguments = ArgumentRecord::kSize;
    ResultRecord results = ResultRecord::kSize;
    /// Mixed into digests of arguments, so that the arguments cannot be guessed from a digest.
    std::string digest_key = {};
    /// Redacts secrets from whatever could contain some: messages, text chosen by callers, values, event data. Null: no
    /// redaction. Must outlive the bus.
    const Redactor* redactor = nullptr;
};

/// Every call passes through here exactly once, and so does every event. Belongs to one loop.
class Bus final : public Recorder, public EventSink {
public:
    explicit Bus(BusOptions options);

    /// Null: nothing is stored. Must outlive the bus or be removed before.
    void set_durable_sink(DurableSink* sink) noexcept { durable_sink_ = sink; }
    void add(EventListener& listener) {
        listeners_.push_back(&listener);
        argument_readers_ += listener.reads_arguments() ? 1 : 0;
    }
    void remove(EventListener& listener) {
        if (std::erase(listeners_, &listener) > 0) argument_readers_ -= listener.reads_arguments() ? 1 : 0;
    }

    Ticket record(const Outcome& outcome) noexcept override;
    Task<Result<void>> kept(const Context& ctx, Ticket ticket) override;
    const Error* refusal() const noexcept override {
        return durable_sink_ == nullptr ? nullptr : durable_sink_->refusal();
    }

    bool listening() const noexcept override { return durable_sink_ != nullptr || !listeners_.empty(); }
    void publish(const GatewayEvent& event) noexcept override;

    /// Changes how much of a call's arguments and of its result is recorded, for records from now on.
    void record_values(ArgumentRecord arguments, ResultRecord results) noexcept {
        options_.arguments = arguments;
        options_.results = results;
    }

    std::uint64_t count() const noexcept { return count_; }

private:
    void add_arguments(Record& record, std::string_view arguments) noexcept;
    void add_result(Record& record, std::string_view result) noexcept;
    Ticket tell(const Record& record, const Outcome& outcome) noexcept;

    BusOptions options_;
    DurableSink* durable_sink_ = nullptr;
    std::vector<EventListener*> listeners_;
    std::size_t argument_readers_ = 0;
    std::uint64_t count_ = 0;
    crypto::Sha256 sha_;
};

}  // namespace gantry::gateway::events
