#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::app {

/// When a changed value of a key takes effect in a running gateway, from the lightest to the heaviest.
enum class Reload : std::uint8_t {
    kAtOnce,     ///< connections and calls in flight are not disturbed
    kReconnect,  ///< the servers concerned get a new connection or process
    kNextStart,  ///< not before the gateway is started again
};

/// "at once", "reconnects the server", "at the next start".
constexpr std::string_view to_string(Reload reload) noexcept {
    switch (reload) {
        case Reload::kAtOnce: return "at once";
        case Reload::kReconnect: return "reconnects the server";
        case Reload::kNextStart: break;
    }
    return "at the next start";
}

/// What the declaration of a key says besides its name and kind: the text for users, and what a change of it does.
/// Refers to literals only. Markdown in the text is limited to `code`.
///
///     section.read("state_dir", config.state_dir, read_text, {"Folder for …", Reload::kNextStart});
class About {
public:
    constexpr About() noexcept = default;
    // Implicit: a description alone is enough.
    constexpr About(const char* text) noexcept : text_(text) {}
    constexpr About(std::string_view text) noexcept : text_(text) {}
    constexpr About(const char* text, Reload reload) noexcept : text_(text), reload_(reload) {}

    /// The default in words, where it is not a value: "required", "the top-level `timeout`".
    constexpr About& by_default(std::string_view words) noexcept {
        default_ = words;
        return *this;
    }
    /// A change to or from this value takes effect differently.
    constexpr About& to_or_from(std::string_view value, Reload reload) noexcept {
        exception_ = value;
        exception_reload_ = reload;
        return *this;
    }
    /// A change takes effect at once if that key changes too.
    constexpr About& or_with(std::string_view key) noexcept {
        with_ = key;
        return *this;
    }

    constexpr std::string_view text() const noexcept { return text_; }
    /// Empty: that of the section.
    constexpr std::optional<Reload> reload() const noexcept { return reload_; }
    constexpr std::string_view default_words() const noexcept { return default_; }
    constexpr std::string_view exception() const noexcept { return exception_; }
    constexpr Reload exception_reload() const noexcept { return exception_reload_; }
    constexpr std::string_view with() const noexcept { return with_; }

private:
    std::string_view text_;
    std::optional<Reload> reload_;
    std::string_view default_;
    std::string_view exception_;
    Reload exception_reload_ = Reload::kAtOnce;
    std::string_view with_;
};

}  // namespace gantry::app
