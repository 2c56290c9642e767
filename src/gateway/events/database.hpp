#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace gantry::gateway::events {

/// One prepared statement. Bound texts must live until step() has returned.
class Statement {
public:
    Statement() = default;
    Statement(Statement&&) noexcept = default;
    Statement& operator=(Statement&&) noexcept = default;

    Statement& bind(int place, std::int64_t number) noexcept;
    Statement& bind(int place, std::string_view text) noexcept;
    Statement& bind_bytes(int place, std::string_view bytes) noexcept;

    /// True: there is a row to read; false: the end, and the statement may be bound again.
    Result<bool> step();
    /// For what gives no rows.
    Result<void> run();
    void reset() noexcept;

    std::int64_t number(int column) const noexcept;
    /// Valid until the next step().
    std::string_view text(int column) const noexcept;

private:
    friend class Database;
    struct Close {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    std::unique_ptr<sqlite3_stmt, Close> statement_;
};

/// One SQLite file, used by one thread at a time. Errors: kLimit when the disk is full, kTimeout when somebody else
/// kept it locked, kParse when it is damaged, kInternal otherwise; messages name the file, never content.
class Database {
public:
    /// Made with mode 0600 when it is not there and `writable`.
    static Result<Database> open(const std::filesystem::path& file, Duration busy, bool writable = true);

    Result<void> execute(const char* sql);
    Result<Statement> prepare(std::string_view sql);
    std::int64_t last_insert() const noexcept;
    /// Rows the last statement changed.
    std::int64_t changes() const noexcept;

private:
    struct Close {
        void operator()(sqlite3* database) const noexcept;
    };
    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace gantry::gateway::events
