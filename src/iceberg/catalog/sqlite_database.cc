// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include "frazil/byte_source.h"
#include "frazil/error.h"
#include "src/base/shared_library.h"
#include "src/iceberg/catalog/sql_database.h"

namespace frazil::iceberg {
namespace {

constexpr int kBusyTimeoutMs = 5000;

struct Sqlite {
  decltype(&::sqlite3_open_v2) open;
  decltype(&::sqlite3_close) close;
  decltype(&::sqlite3_errmsg) error_message;
  decltype(&::sqlite3_busy_timeout) busy_timeout;
  decltype(&::sqlite3_prepare_v2) prepare;
  decltype(&::sqlite3_bind_text) bind_text;
  decltype(&::sqlite3_step) step;
  decltype(&::sqlite3_finalize) finalize;
  decltype(&::sqlite3_column_count) column_count;
  decltype(&::sqlite3_column_name) column_name;
  decltype(&::sqlite3_column_text) column_text;
  decltype(&::sqlite3_column_bytes) column_bytes;
};

arrow::Result<Sqlite> LoadSqlite() {
  ARROW_ASSIGN_OR_RAISE(const SharedLibrary library, SharedLibrary::Load({"libsqlite3.so.0"}, "libsqlite3-0"));
  Sqlite sqlite{};
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_open_v2", &sqlite.open));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_close", &sqlite.close));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_errmsg", &sqlite.error_message));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_busy_timeout", &sqlite.busy_timeout));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_prepare_v2", &sqlite.prepare));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_bind_text", &sqlite.bind_text));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_step", &sqlite.step));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_finalize", &sqlite.finalize));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_column_count", &sqlite.column_count));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_column_name", &sqlite.column_name));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_column_text", &sqlite.column_text));
  ARROW_RETURN_NOT_OK(library.Find("sqlite3_column_bytes", &sqlite.column_bytes));
  return sqlite;
}

ErrorKind KindOfSqlite(int code, const std::string& message) {
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
      return ErrorKind::kUnavailable;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return ErrorKind::kAccess;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return ErrorKind::kCorrupt;
    default:
      return message.starts_with("no such table") ? ErrorKind::kNotFound : ErrorKind::kInternal;
  }
}

class SqliteDatabase : public SqlDatabase {
 public:
  SqliteDatabase(const Sqlite& sqlite, std::string address, bool is_uri)
      : sqlite_(sqlite), address_(std::move(address)), is_uri_(is_uri) {}
  ~SqliteDatabase() override { sqlite_.close(database_); }
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  arrow::Result<SqlRows> Query(const std::string& sql, const std::vector<std::string>& parameters) override {
    if (database_ == nullptr) ARROW_RETURN_NOT_OK(Connect());
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite_.prepare(database_, sql.c_str(), static_cast<int>(sql.size()), &prepared, nullptr);
    const std::unique_ptr<sqlite3_stmt, decltype(sqlite_.finalize)> statement(prepared, sqlite_.finalize);
    if (code != SQLITE_OK) return Error(code);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const int bound = sqlite_.bind_text(prepared, static_cast<int>(i) + 1, parameters[i].data(),
                                          static_cast<int>(parameters[i].size()), SQLITE_STATIC);
      if (bound != SQLITE_OK) return Error(bound);
    }
    return Rows(prepared);
  }

 private:
  arrow::Status Connect() {
    if (!is_uri_) ARROW_RETURN_NOT_OK(OpenLocalFile(address_));  // for its words, when it can not be read
    const int flags = SQLITE_OPEN_READONLY | (is_uri_ ? SQLITE_OPEN_URI : 0);
    const int code = sqlite_.open(address_.c_str(), &database_, flags, nullptr);
    if (code == SQLITE_OK) {
      sqlite_.busy_timeout(database_, kBusyTimeoutMs);
      return arrow::Status::OK();
    }
    const arrow::Status error = Error(code);
    sqlite_.close(database_);
    database_ = nullptr;
    return error;
  }

  arrow::Status Error(int code) const {
    const std::string message = database_ == nullptr ? "out of memory" : sqlite_.error_message(database_);
    return MakeError(KindOfSqlite(code, message), "SQLite: " + message, {.file = address_});
  }

  arrow::Result<SqlRows> Rows(sqlite3_stmt* statement) {
    SqlRows rows;
    const int columns = sqlite_.column_count(statement);
    for (int i = 0; i < columns; ++i) rows.columns.emplace_back(sqlite_.column_name(statement, i));
    int64_t bytes = 0;
    for (int code = sqlite_.step(statement); code != SQLITE_DONE; code = sqlite_.step(statement)) {
      if (code != SQLITE_ROW) return Error(code);
      auto& row = rows.rows.emplace_back();
      for (int i = 0; i < columns; ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite_.column_text(statement, i));
        const int size = sqlite_.column_bytes(statement, i);
        row.push_back(text == nullptr ? std::nullopt : std::optional(std::string(text, static_cast<size_t>(size))));
        bytes += size;
      }
      if (bytes > kSqlBytesMax || static_cast<int64_t>(rows.rows.size()) > kSqlRowsMax) {
        return MakeError(ErrorKind::kBudget, "the catalog answers with too many rows", {.file = address_});
      }
    }
    return rows;
  }

  const Sqlite& sqlite_;
  const std::string address_;
  const bool is_uri_;
  sqlite3* database_ = nullptr;
};

}  // namespace

arrow::Result<std::unique_ptr<SqlDatabase>> OpenSqlite(const std::string& address) {
  static const arrow::Result<Sqlite> kSqlite = LoadSqlite();
  ARROW_RETURN_NOT_OK(kSqlite);
  return std::make_unique<SqliteDatabase>(*kSqlite, address, address.starts_with("file:"));
}

}  // namespace frazil::iceberg
