#include "gateway/pipeline/costly_checks.hpp"

#include "base/schema/schema.hpp"

namespace gantry::gateway {

/// Counts a check for as long as the worker holds it, even after its caller has gone.
class CostlyChecks::Place {
public:
    Place(Waiting at_source, Waiting in_all) : at_source_(std::move(at_source)), in_all_(std::move(in_all)) {
        ++*at_source_;
        ++*in_all_;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
        --*at_source_;
        --*in_all_;
    }
    /// The caller is no longer waiting.
    std::atomic<bool> abandoned = false;

private:
    Waiting at_source_;
    Waiting in_all_;
};

Task<Result<void>> CostlyChecks::check(const Context& ctx, std::string source, std::string tool,
                                       std::shared_ptr<const schema::Schema> schema, std::string arguments,
                                       std::uint64_t max_steps) {
    Of& of = sources_[source];
    if (*of.waiting >= limits_.per_source || *waiting_ >= limits_.total) {
        ++of.counts.turned_away;
        co_return fail(Error(ErrorCode::kLimit, "arguments of tool '" + tool +
                                                    "' take long to validate, and too many calls wait for that already")
                           .retryable(true));
    }
    const auto place = std::make_shared<Place>(of.waiting, waiting_);
    ++of.counts.checked;
    if (!worker_) worker_ = std::make_unique<Worker>(Worker::Priority::kLow);
    auto fits = co_await worker_->run<void>(
        ctx, [place, schema = std::move(schema), text = std::move(arguments), max_steps]() -> Result<void> {
            if (place->abandoned) return {};
            return schema->check_text(text, {.max_steps = max_steps});
        });
    place->abandoned = true;
    if (fits || fits.error().code() != ErrorCode::kLimit) co_return fits;
    ++of.counts.too_costly;
    co_return fail(Error(ErrorCode::kLimit,
                         "the schema of tool '" + tool +
                             "' is too costly for these arguments (limits.validation_steps): " + fits.error().message())
                       .retryable(false));
}

CostlyChecks::Counts CostlyChecks::counts(std::string_view source) const {
    const auto found = sources_.find(source);
    return found == sources_.end() ? Counts() : found->second.counts;
}

}  // namespace gantry::gateway
