#pragma once

#include <string>
#include <vector>

namespace gantry::app {

/// Terminal table with columns sized to fit. Cells are sanitised by terminal_text().
class Table {
public:
    explicit Table(std::vector<std::string> titles) { add(std::move(titles)); }
    void add(std::vector<std::string> cells);
    std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace gantry::app
