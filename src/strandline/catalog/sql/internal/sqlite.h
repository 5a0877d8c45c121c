#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "strandline/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace strandline::catalog::internal {

// One SQL statement, prepared. Must not outlive its connection. Not thread-safe.
class Statement {
 public:
  // Gives the next `?` a value.
  Statement& Bind(std::string_view text) &;

  // Runs on to the next row; false when there is none (any more).
  Result<bool> Step();

  // Columns of the current row, counted from 0. Absent: NULL.
  std::optional<std::string> Text(int column) const;

 private:
  friend class Sqlite;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };

  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  int bound_ = 0;
  std::string database_;
};

// One connection to an SQLite file. Not thread-safe. All calls fail with kUnavailable when the file
// stays locked beyond the timeout or its disk fails, kPermissionDenied when it cannot be opened or
// written,
// kAlreadyExists when a key is taken, kCorrupt when the file is no SQLite database.
class Sqlite {
 public:
  enum class Mode {
    kCreate,     // Made when missing; kNotFound when its folder is.
    kMustExist,  // kNotFound when missing.
  };

  static Result<Sqlite> Open(const std::string& path, Mode mode,
                             std::chrono::milliseconds busy_timeout);

  // Runs statements that give no rows.
  Status Execute(const char* sql);
  Result<Statement> Prepare(const char* sql);

  // Rows changed by the last INSERT, UPDATE or DELETE.
  std::int64_t changes() const;
  bool in_transaction() const;
  // Whether the last failure was that another connection held the file.
  bool was_busy() const;

  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(sqlite3* connection) const;
  };

  std::unique_ptr<sqlite3, Closer> connection_;
  std::string path_;
};

}  // namespace strandline::catalog::internal
