#pragma once

namespace gantry::gateway {

/// Zero width joiner and non-joiner show nothing, but some writing needs them: they join emoji to one picture, and say
/// how letters of Arabic, Indic and a few other scripts take their shapes. True where one stands in such a place;
/// `before` without a variation selector, 0 at the ends of a text.
bool joiner_belongs(char32_t before, char32_t joiner, char32_t after) noexcept;

}  // namespace gantry::gateway
