// SPDX-License-Identifier: Apache-2.0
//
// Catalogs in SQL databases: the tables iceberg_tables and iceberg_namespace_properties, as Java's JdbcCatalog and
// pyiceberg's SqlCatalog keep them. SQLite and PostgreSQL; only questions are asked, nothing is made or changed.
// Source: the schema of Java's JdbcUtil, V0 (without the column iceberg_type) and V1.
#pragma once

#include <memory>
#include <string>

#include <arrow/result.h>

#include "src/iceberg/catalog/catalog.h"
#include "src/iceberg/catalog/sql_database.h"

namespace frazil::iceberg {

// The property `uri`, as SQLAlchemy or JDBC spell it: sqlite:///relative.db, sqlite:////absolute.db,
// postgresql://user:password@host/db (also postgresql+psycopg2://), jdbc:sqlite:PATH, jdbc:postgresql://host/db with
// jdbc.user and jdbc.password. The name of the catalog is part of the rows' keys.
arrow::Result<std::unique_ptr<Catalog>> OpenSqlCatalog(const CatalogConfig& config);

// The same over an open database.
std::unique_ptr<Catalog> MakeSqlCatalog(std::unique_ptr<SqlDatabase> database, const CatalogConfig& config);

}  // namespace frazil::iceberg
