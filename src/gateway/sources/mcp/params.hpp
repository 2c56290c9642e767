#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json/scan.hpp"
#include "gantry/error.hpp"

namespace gantry::gateway {

/// Request params that own their text, scanned.
class OwnParams {
public:
    OwnParams() = default;
    /// `params` must be one JSON object.
    static Result<OwnParams> read(std::string_view params);

    std::string_view text() const noexcept { return params_; }
    const json::ParamsView& view() const noexcept { return view_; }

private:
    std::shared_ptr<const std::string> held_;  // keeps the views valid across moves and copies
    std::string_view params_;
    json::ParamsView view_;
};

}  // namespace gantry::gateway
