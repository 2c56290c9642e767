#include "gateway/events/record_queue.hpp"

namespace gantry::gateway::events {

bool RecordQueue::put(const Record& record) noexcept {
    char* place = ring_.claim(packed_size(record));
    if (place == nullptr) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    pack(record, place);
    ring_.publish();
    bell_.ring_if_asleep();
    return true;
}

}  // namespace gantry::gateway::events
