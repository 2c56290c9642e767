#include "app/setup/report.hpp"

#include <iostream>

namespace gantry::app {

int report(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    return static_cast<int>(cli::exit_code_of(error));
}

int report_file(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    return static_cast<int>(cli::ExitCode::kUsage);
}

}  // namespace gantry::app
