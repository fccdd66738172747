// SPDX-License-Identifier: Apache-2.0
//
// The little of SQL databases that catalogs need: one query with text parameters, its rows as text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

namespace frazil::iceberg {

struct SqlRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;  // null as nothing

  // The ordinal of the column of this name (lower case), or -1.
  int FindColumn(const std::string& name) const;
};

inline constexpr int64_t kSqlRowsMax = 1'000'000;
inline constexpr int64_t kSqlBytesMax = int64_t{256} << 20;

class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;

  // Parameters are $1, $2, ... in the order of their first use. Errors: not found (no such relation), access,
  // unavailable (no connection, locked, timeout), corrupt (no database), budget (above the limits), else internal.
  virtual arrow::Result<SqlRows> Query(const std::string& sql, const std::vector<std::string>& parameters) = 0;
};

// SQLite, by libsqlite3. `address` is what follows sqlite:/// : a path, or a file: URI of SQLite. Opened read-only.
arrow::Result<std::unique_ptr<SqlDatabase>> OpenSqlite(const std::string& address);

// PostgreSQL, by libpq. `uri` is a postgresql:// URI; user and password, unless empty, replace what it says. A server
// that does not answer is given up after 10 s (connect_timeout in the URI says otherwise), a query after 60 s.
arrow::Result<std::unique_ptr<SqlDatabase>> OpenPostgres(const std::string& uri, const std::string& user,
                                                         const std::string& password);

}  // namespace frazil::iceberg
