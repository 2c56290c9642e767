#pragma once

namespace gantry::gateway {

/// Zero width joiner and non-joiner are invisible, but some writing needs them: they join emoji into one picture and
/// determine the letter shapes of Arabic, Indic and a few other scripts. True where a joiner stands in such a place;
/// `before` is the preceding character without a variation selector, 0 at either end of a text.
bool joiner_belongs(char32_t before, char32_t joiner, char32_t after) noexcept;

}  // namespace gantry::gateway
