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

/// A prepared statement. Bound texts must live until step() has returned.
class Statement {
public:
    Statement() = default;
    Statement(Statement&&) noexcept = default;
    Statement& operator=(Statement&&) noexcept = default;

    Statement& bind(int place, std::int64_t number) noexcept;
    Statement& bind(int place, std::string_view text) noexcept;
    Statement& bind_bytes(int place, std::string_view bytes) noexcept;

    /// True: there is a row to read; false: no more rows, and the statement may be bound again.
    Result<bool> step();
    /// Runs a statement that returns no rows.
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

/// A SQLite file; not thread-safe. Errors: kLimit when the disk is full, kTimeout when another process held the lock
/// too long, kParse when the file is damaged, kInternal otherwise; messages name the file, never its content.
class Database {
public:
    /// With `writable`, a missing file is created with mode 0600.
    static Result<Database> open(const std::filesystem::path& file, Duration busy, bool writable = true);

    Result<void> execute(const char* sql);
    Result<Statement> prepare(std::string_view sql);
    std::int64_t last_insert() const noexcept;
    /// Rows changed by the last statement.
    std::int64_t changes() const noexcept;

private:
    struct Close {
        void operator()(sqlite3* database) const noexcept;
    };
    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace gantry::gateway::events
