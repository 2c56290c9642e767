#include "gateway/events/database.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/fd.hpp"

namespace gantry::gateway::events {
namespace {

ErrorCode kind_of(int code) noexcept {
    switch (code & 0xff) {
        case SQLITE_FULL: return ErrorCode::kLimit;
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return ErrorCode::kTimeout;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return ErrorCode::kParse;
        default: return ErrorCode::kInternal;
    }
}

std::string advice(int code) {
    switch (code & 0xff) {
        case SQLITE_FULL: return "; make room on the disk";
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return "; another program keeps it locked";
        case SQLITE_READONLY: return "; it may not be written to";
        case SQLITE_IOERR: return "; look at the disk";
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return "; move it away and a new one is made";
        default: return "";
    }
}

std::unexpected<Error> trouble(sqlite3* database, int code) {
    const char* file = database == nullptr ? nullptr : sqlite3_db_filename(database, "main");
    std::string text = file == nullptr || *file == '\0' ? std::string("database") : std::string(file);
    text.append(": ").append(sqlite3_errstr(code)).append(advice(code));
    return fail(kind_of(code), std::move(text));
}

/// SQLite would create the file with the umask's mode.
Result<void> make_private(const std::filesystem::path& file) {
    const Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return fail(ErrorCode::kDenied, file.string() + ": cannot be opened: " + std::strerror(errno));
    return {};
}

}  // namespace

void Statement::Close::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

Statement& Statement::bind(int place, std::int64_t number) noexcept {
    sqlite3_bind_int64(statement_.get(), place, number);
    return *this;
}

Statement& Statement::bind(int place, std::string_view text) noexcept {
    // SQLite binds a null pointer as NULL, which differs from an empty text.
    sqlite3_bind_text(statement_.get(), place, text.data() == nullptr ? "" : text.data(), static_cast<int>(text.size()),
                      SQLITE_STATIC);
    return *this;
}

Statement& Statement::bind_bytes(int place, std::string_view bytes) noexcept {
    sqlite3_bind_blob(statement_.get(), place, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
    return *this;
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    sqlite3* database = sqlite3_db_handle(statement_.get());
    if (code == SQLITE_DONE) {
        sqlite3_reset(statement_.get());
        return false;
    }
    auto error = trouble(database, code);
    sqlite3_reset(statement_.get());
    return error;
}

Result<void> Statement::run() {
    auto row = step();
    if (!row) return fail(row.error());
    if (*row) reset();
    return {};
}

void Statement::reset() noexcept {
    sqlite3_reset(statement_.get());
}

std::int64_t Statement::number(int column) const noexcept {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::text(int column) const noexcept {
    const void* bytes = sqlite3_column_blob(statement_.get(), column);
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return bytes == nullptr ? std::string_view()
                            : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

void Database::Close::operator()(sqlite3* database) const noexcept {
    sqlite3_close_v2(database);
}

namespace {

/// SQLite resolves every symbolic link before it opens a file. A descriptor's link in /proc must stay unresolved: it
/// leads to the held folder even if the folder's path now leads elsewhere.
int as_given(sqlite3_vfs*, const char* path, int room, char* out) {
    const std::size_t size = std::strlen(path) + 1;
    if (size > static_cast<std::size_t>(room)) return SQLITE_CANTOPEN;
    std::memcpy(out, path, size);
    return SQLITE_OK;
}

/// Null: the default VFS.
const char* file_system_for(const std::filesystem::path& file) {
    if (!file.native().starts_with("/proc/self/fd/")) return nullptr;
    static const bool made = [] {
        static sqlite3_vfs pinned = *sqlite3_vfs_find(nullptr);
        pinned.zName = "gantry-pinned";
        pinned.xFullPathname = &as_given;
        pinned.pNext = nullptr;
        return sqlite3_vfs_register(&pinned, 0) == SQLITE_OK;
    }();
    return made ? "gantry-pinned" : nullptr;
}

}  // namespace

Result<Database> Database::open(const std::filesystem::path& file, Duration busy, bool writable) {
    if (writable) {
        if (auto made = make_private(file); !made) return fail(made.error());
    }
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &opened,
                                     (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX,
                                     file_system_for(file));
    Database database;
    database.database_.reset(opened);
    if (code != SQLITE_OK)
        return fail(ErrorCode::kNotFound, file.string() + ": cannot be opened: " + sqlite3_errstr(code));
    sqlite3_extended_result_codes(opened, 1);
    sqlite3_busy_timeout(opened, static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(busy).count()));
    return database;
}

Result<void> Database::execute(const char* sql) {
    const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return trouble(database_.get(), code);
    return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
    if (code != SQLITE_OK) return trouble(database_.get(), code);
    Statement statement;
    statement.statement_.reset(prepared);
    return statement;
}

std::int64_t Database::last_insert() const noexcept {
    return sqlite3_last_insert_rowid(database_.get());
}

std::int64_t Database::changes() const noexcept {
    return sqlite3_changes64(database_.get());
}

}  // namespace gantry::gateway::events
