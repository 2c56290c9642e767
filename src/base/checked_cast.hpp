#pragma once

#include <cstdlib>
#include <typeinfo>

namespace gantry {

/// Downcast to a final class. Ends the program where the object is of another one: going on would take one caller's
/// data for another's.
template <class To, class From>
const To& checked_cast(const From& object) noexcept {
    static_assert(__is_final(To), "only a final class can be told apart by one comparison");
    if (typeid(object) != typeid(To)) [[unlikely]]
        std::abort();
    return static_cast<const To&>(object);
}

}  // namespace gantry
