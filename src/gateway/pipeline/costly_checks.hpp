#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "io/context.hpp"
#include "io/task.hpp"
#include "io/worker.hpp"

namespace gantry::schema {
class Schema;
}

namespace gantry::gateway {

/// Validates arguments that are too expensive to validate on the loop, on a dedicated thread. The number of checks is
/// bounded per source and in total, and each check has a step limit. Belongs to one loop.
class CostlyChecks {
public:
    struct Limits {
        /// Checks running or queued; calls beyond are refused and may be retried.
        std::size_t per_source = 8;
        std::size_t total = 64;
    };
    struct Counts {
        std::uint64_t checked = 0;
        /// Refused at the step limit: the tool's schema cannot be enforced for these arguments.
        std::uint64_t too_costly = 0;
        /// Refused because too many checks were pending.
        std::uint64_t turned_away = 0;
    };

    explicit CostlyChecks(Limits limits) : limits_(limits) {}

    /// `max_steps`: steps after which the arguments are refused; see schema::ValidateOptions. kSchema: the arguments do
    /// not satisfy the schema. kLimit: validation takes too many steps, or too many checks are already queued.
    Task<Result<void>> check(const Context& ctx, std::string source, std::string tool,
                             std::shared_ptr<const schema::Schema> schema, std::string arguments,
                             std::uint64_t max_steps);

    /// Counts of one source; all zero if none of its calls needed a check.
    Counts counts(std::string_view source) const;

private:
    using Waiting = std::shared_ptr<std::atomic<std::size_t>>;
    struct Of {
        Counts counts;
        Waiting waiting = std::make_shared<std::atomic<std::size_t>>(0);
    };
    class Place;

    Limits limits_;
    std::map<std::string, Of, std::less<>> sources_;
    Waiting waiting_ = std::make_shared<std::atomic<std::size_t>>(0);
    std::unique_ptr<Worker> worker_;  // created on first use
};

}  // namespace gantry::gateway
