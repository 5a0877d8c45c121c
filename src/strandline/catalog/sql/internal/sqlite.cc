#include "strandline/catalog/sql/internal/sqlite.h"

#include <cerrno>
#include <system_error>

#include <sqlite3.h>

namespace strandline::catalog::internal {
namespace {

ErrorKind KindOf(int extended_code) {
  switch (extended_code & 0xff) {
    case SQLITE_CONSTRAINT:
      return ErrorKind::kAlreadyExists;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return ErrorKind::kPermissionDenied;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR:  // A table that is not what a catalog's should be.
    case SQLITE_MISMATCH:
      return ErrorKind::kCorrupt;
    default:  // Busy, locked, disk full, input and output.
      return ErrorKind::kUnavailable;
  }
}

Error ErrorOf(sqlite3* connection, const std::string& path) {
  const int code = sqlite3_extended_errcode(connection);
  if ((code & 0xff) == SQLITE_BUSY) {
    return MakeError(ErrorKind::kUnavailable,
                     "catalog database stays locked by another process, try again later: {}", path);
  }
  return MakeError(KindOf(code), "catalog database {}: {} (SQLite code {})", path,
                   sqlite3_errmsg(connection), code);
}

// The file could not be opened, for a reason that trying again does not change: the system's own
// number tells which. Absent: it is another reason.
std::optional<Error> OpenError(sqlite3* connection, const std::string& path, Sqlite::Mode mode) {
  const int system_error = sqlite3_system_errno(connection);
  switch (system_error) {
    case ENOENT:
    case ENOTDIR: {
      if (mode == Sqlite::Mode::kMustExist) {
        return MakeError(ErrorKind::kNotFound, "there is no catalog database: {}", path);
      }
      const std::size_t slash = path.rfind('/');
      return MakeError(ErrorKind::kNotFound,
                       "there is no folder `{}` for the catalog database {}: make it first",
                       slash == std::string::npos ? "." : path.substr(0, slash + 1), path);
    }
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR:
      return MakeError(ErrorKind::kPermissionDenied, "catalog database cannot be opened ({}): {}",
                       std::generic_category().message(system_error), path);
    default:
      return std::nullopt;
  }
}

}  // namespace

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement& Statement::Bind(std::string_view text) & {
  const int code = sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);  // NOLINT
  SL_CHECK(code == SQLITE_OK);
  return *this;
}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code == SQLITE_DONE) {
    return false;
  }
  return ErrorOf(sqlite3_db_handle(statement_.get()), database_);
}

std::optional<std::string> Statement::Text(int column) const {
  const void* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) {
    return std::nullopt;
  }
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return std::string(static_cast<const char*>(text), static_cast<std::size_t>(size));
}

void Sqlite::Closer::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Result<Sqlite> Sqlite::Open(const std::string& path, Mode mode,
                            std::chrono::milliseconds busy_timeout) {
  Sqlite sqlite;
  sqlite.path_ = path;
  sqlite3* connection = nullptr;
  // Also to only read it, the file is opened for writing if permissions allow that: a writer that
  // died may have left a journal that must be rolled back first.
  const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::kCreate ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  sqlite.connection_.reset(connection);
  if (code != SQLITE_OK) {
    if (std::optional<Error> error = OpenError(connection, path, mode)) {
      return *std::move(error);
    }
    return ErrorOf(connection, path);
  }
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, static_cast<int>(busy_timeout.count()));
  return sqlite;
}

Status Sqlite::Execute(const char* sql) {
  if (sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return ErrorOf(connection_.get(), path_);
  }
  return {};
}

Result<Statement> Sqlite::Prepare(const char* sql) {
  Statement statement;
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(connection_.get(), sql, -1, &prepared, nullptr) != SQLITE_OK) {
    return ErrorOf(connection_.get(), path_);
  }
  statement.statement_.reset(prepared);
  statement.database_ = path_;
  return statement;
}

std::int64_t Sqlite::changes() const { return sqlite3_changes64(connection_.get()); }

bool Sqlite::in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }

bool Sqlite::was_busy() const {
  return (sqlite3_extended_errcode(connection_.get()) & 0xff) == SQLITE_BUSY;
}

}  // namespace strandline::catalog::internal
