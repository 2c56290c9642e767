#include "gateway/events/journal_jobs.hpp"

#include <utility>

namespace gantry::gateway::events {

void JournalJobs::push(Job job) {
    {
        const std::lock_guard guard(mutex_);
        jobs_.push_back(std::move(job));
    }
    bell_.ring();
}

std::deque<JournalJobs::Job> JournalJobs::take() {
    const std::lock_guard guard(mutex_);
    return std::exchange(jobs_, {});
}

bool JournalJobs::empty() {
    const std::lock_guard guard(mutex_);
    return jobs_.empty();
}

}  // namespace gantry::gateway::events
