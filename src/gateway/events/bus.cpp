#include "gateway/events/bus.hpp"

#include <algorithm>

#include "base/redact/redactor.hpp"

namespace gantry::gateway::events {
namespace {

/// Only this much of the arguments is digested, so that a large call does not delay others. Their size is recorded as
/// well.
constexpr std::size_t kDigested = 16u << 10;
/// Larger values are omitted, because truncated JSON would be invalid.
constexpr std::size_t kMostValues = 16u << 10;

}  // namespace

Bus::Bus(BusOptions options) : options_(std::move(options)) {}

Recorder::Ticket Bus::record(const Outcome& outcome) noexcept {
    Record record = record_of(outcome);
    record.number = ++count_;
    if (durable_sink_ != nullptr || argument_readers_ > 0) {
        add_arguments(record, outcome.arguments);
        add_result(record, outcome.result);
    }
    // A successful call contains only listed names and numbers.
    const bool harmless =
        record.ending != Ending::kError && record.texts[Record::kData].empty() && record.texts[Record::kResult].empty();
    if (options_.redactor == nullptr || harmless) [[likely]]
        return tell(record, outcome);
    const std::string name = options_.redactor->masked(std::string(record.texts[Record::kName]));
    const std::string message = options_.redactor->masked(std::string(record.texts[Record::kMessage]));
    const std::string values = options_.redactor->masked(std::string(record.texts[Record::kData]));
    const std::string result = options_.redactor->masked(std::string(record.texts[Record::kResult]));
    record.texts[Record::kName] = name;
    record.texts[Record::kMessage] = message;
    record.texts[Record::kData] = values;
    // Redacting may have made it longer.
    record.texts[Record::kResult] = result.size() <= kMostValues ? std::string_view(result) : std::string_view();
    return tell(record, outcome);
}

Recorder::Ticket Bus::tell(const Record& record, const Outcome& outcome) noexcept {
    for (EventListener* listener : listeners_) listener->heard_call(record, outcome);
    return durable_sink_ == nullptr ? 0 : durable_sink_->keep(record);
}

Task<Result<void>> Bus::kept(const Context& ctx, Ticket ticket) {
    if (durable_sink_ == nullptr) return Recorder::kept(ctx, ticket);
    return durable_sink_->kept(ctx, ticket);
}

void Bus::publish(const GatewayEvent& event) noexcept {
    if (!listening()) return;
    std::string data = Json(event.data).dump();
    if (options_.redactor != nullptr) data = options_.redactor->masked(std::move(data));
    Record record = record_of(event, data);
    record.number = ++count_;
    for (EventListener* listener : listeners_) listener->heard(record);
    if (durable_sink_ != nullptr) durable_sink_->keep(record);
}

void Bus::add_arguments(Record& record, std::string_view arguments) noexcept {
    if (arguments.empty() || options_.arguments == ArgumentRecord::kSize) return;
    sha_.add(options_.digest_key);
    sha_.add(arguments.substr(0, kDigested));
    const auto digest = sha_.end();
    std::copy_n(digest.begin(), record.digest.size(), record.digest.begin());
    record.has_digest = true;
    if (options_.arguments == ArgumentRecord::kValues && arguments.size() <= kMostValues)
        record.texts[Record::kData] = arguments;
}

void Bus::add_result(Record& record, std::string_view result) noexcept {
    const bool wanted = options_.results == ResultRecord::kValues && record.verb == Verb::kCallTool;
    if (wanted && result.size() <= kMostValues) record.texts[Record::kResult] = result;
}

}  // namespace gantry::gateway::events
