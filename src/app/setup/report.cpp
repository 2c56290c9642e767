#include "app/setup/report.hpp"

#include <iostream>

namespace gantry::app {

int report(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    // A file that cannot be used is the user's mistake, whatever is wrong with it.
    const bool file = error.code() == ErrorCode::kParse || error.code() == ErrorCode::kNotFound;
    return static_cast<int>(file ? cli::ExitCode::kUsage : cli::exit_code_for(error.code()));
}

}  // namespace gantry::app
