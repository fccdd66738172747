// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/sql.h"

#include <algorithm>
#include <set>

#include "frazil/error.h"
#include "src/base/secret.h"
#include "src/base/text.h"

namespace frazil::iceberg {
namespace {

constexpr const char* kTableType = "TABLE";

// "sales.eu" -> sales, eu
Namespace LevelsOf(const std::string& text) {
  Namespace levels;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('.', begin), text.size());
    levels.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return levels;
}

class SqlCatalog : public Catalog {
 public:
  SqlCatalog(std::unique_ptr<SqlDatabase> database, const CatalogConfig& config)
      : database_(std::move(database)),
        name_(config.name),
        place_{.file = HideAddressSecrets(config.Get("uri"))},
        properties_(config.ToProperties()) {}

  arrow::Result<CatalogTable> LoadTable(const Namespace& name_space, const std::string& table) override {
    // All columns, because V0 has no iceberg_type.
    ARROW_ASSIGN_OR_RAISE(
        const SqlRows rows,
        Query("SELECT * FROM iceberg_tables WHERE catalog_name = $1 AND table_namespace = $2 AND table_name = $3",
              {name_, NamespaceText(name_space), table}));
    const std::string full_name = NamespaceText(name_space) + "." + table;
    if (rows.rows.empty()) {
      ARROW_ASSIGN_OR_RAISE(const std::string others, OtherCatalogs());
      return MakeError(ErrorKind::kNotFound,
                       "no table " + Printable(full_name, 200) + " of catalog " + Printable(name_, 60) + others,
                       place_);
    }
    if (!IsTable(rows, rows.rows[0])) {
      return MakeError(ErrorKind::kUnsupported, Printable(full_name, 200) + " is no table but a view", place_);
    }
    const int location = rows.FindColumn("metadata_location");
    if (location < 0 || !rows.rows[0][static_cast<size_t>(location)]) {
      return MakeError(ErrorKind::kCorrupt, "the row of " + Printable(full_name, 200) + " has no metadata_location",
                       place_);
    }
    CatalogTable loaded;
    loaded.metadata_location = *rows.rows[0][static_cast<size_t>(location)];
    loaded.properties = properties_;
    return loaded;
  }

  arrow::Result<std::vector<std::string>> ListTables(const Namespace& name_space) override {
    ARROW_ASSIGN_OR_RAISE(const SqlRows rows,
                          Query("SELECT * FROM iceberg_tables WHERE catalog_name = $1 AND table_namespace = $2",
                                {name_, NamespaceText(name_space)}));
    std::set<std::string> names;
    const int name = rows.FindColumn("table_name");
    for (const auto& row : rows.rows) {
      if (name >= 0 && row[static_cast<size_t>(name)] && IsTable(rows, row)) {
        names.insert(*row[static_cast<size_t>(name)]);
      }
    }
    if (rows.rows.empty()) {
      ARROW_ASSIGN_OR_RAISE(const auto namespaces, AllNamespaces());
      const bool known = std::any_of(namespaces.begin(), namespaces.end(), [&](const Namespace& other) {
        return other.size() >= name_space.size() && std::equal(name_space.begin(), name_space.end(), other.begin());
      });
      if (!known) {
        return MakeError(
            ErrorKind::kNotFound,
            "no namespace " + Printable(NamespaceText(name_space), 200) + " in catalog " + Printable(name_, 60),
            place_);
      }
    }
    return std::vector<std::string>(names.begin(), names.end());
  }

  arrow::Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    ARROW_ASSIGN_OR_RAISE(const auto namespaces, AllNamespaces());
    std::set<Namespace> children;
    bool known = parent.empty();
    for (const Namespace& name : namespaces) {
      if (name.size() < parent.size() || !std::equal(parent.begin(), parent.end(), name.begin())) continue;
      known = true;
      if (name.size() > parent.size()) {
        children.insert(Namespace(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(parent.size()) + 1));
      }
    }
    if (!known) {
      return MakeError(ErrorKind::kNotFound,
                       "no namespace " + Printable(NamespaceText(parent), 200) + " in catalog " + Printable(name_, 60),
                       place_);
    }
    return std::vector<Namespace>(children.begin(), children.end());
  }

 private:
  arrow::Result<SqlRows> Query(const std::string& sql, const std::vector<std::string>& parameters) {
    auto rows = database_->Query(sql, parameters);
    if (!rows.ok() && KindOf(rows.status()) == ErrorKind::kNotFound &&
        rows.status().message().find("iceberg_") != std::string::npos) {
      return MakeError(ErrorKind::kNotFound, "the database holds no Iceberg catalog: there is no table iceberg_tables",
                       place_);
    }
    return rows;
  }

  // Rows of V0, and those that V1 found there, have no type.
  static bool IsTable(const SqlRows& rows, const std::vector<std::optional<std::string>>& row) {
    const int type = rows.FindColumn("iceberg_type");
    return type < 0 || !row[static_cast<size_t>(type)] || *row[static_cast<size_t>(type)] == kTableType;
  }

  arrow::Result<std::set<Namespace>> AllNamespaces() {
    ARROW_ASSIGN_OR_RAISE(const SqlRows rows,
                          Query("SELECT table_namespace FROM iceberg_tables WHERE catalog_name = $1 UNION SELECT "
                                "namespace FROM iceberg_namespace_properties WHERE catalog_name = $1",
                                {name_}));
    std::set<Namespace> namespaces;
    for (const auto& row : rows.rows) {
      if (row[0] && !row[0]->empty()) namespaces.insert(LevelsOf(*row[0]));
    }
    return namespaces;
  }

  // A hint for those who gave the catalog another name than its writer did.
  arrow::Result<std::string> OtherCatalogs() {
    ARROW_ASSIGN_OR_RAISE(const SqlRows rows,
                          Query("SELECT DISTINCT catalog_name FROM iceberg_tables ORDER BY catalog_name LIMIT 10", {}));
    std::string names;
    for (const auto& row : rows.rows) {
      if (row[0] == name_) return "";
      if (row[0]) names += (names.empty() ? "" : ", ") + Printable(*row[0], 60);
    }
    return names.empty() ? "" : "; the database has tables of " + names + ": configure the catalog by that name";
  }

  const std::unique_ptr<SqlDatabase> database_;
  const std::string name_;
  const ErrorPlace place_;
  const Properties properties_;
};

// What follows the prefix, or nothing.
std::optional<std::string> After(const std::string& text, std::string_view prefix) {
  return text.starts_with(prefix) ? std::optional(text.substr(prefix.size())) : std::nullopt;
}

}  // namespace

int SqlRows::FindColumn(const std::string& name) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (EqualsIgnoreCase(columns[i], name)) return static_cast<int>(i);
  }
  return -1;
}

std::unique_ptr<Catalog> MakeSqlCatalog(std::unique_ptr<SqlDatabase> database, const CatalogConfig& config) {
  return std::make_unique<SqlCatalog>(std::move(database), config);
}

arrow::Result<std::unique_ptr<Catalog>> OpenSqlCatalog(const CatalogConfig& config) {
  std::string uri = config.Get("uri");
  if (const auto sqlite = After(uri, "jdbc:sqlite:")) {
    ARROW_ASSIGN_OR_RAISE(auto database, OpenSqlite(*sqlite));
    return MakeSqlCatalog(std::move(database), config);
  }
  if (const auto postgres = After(uri, "jdbc:")) uri = *postgres;
  // The driver's name, as in postgresql+psycopg2, is Python's business.
  const size_t scheme_end = uri.find("://");
  if (const size_t plus = uri.find('+'); plus < scheme_end && scheme_end != std::string::npos) {
    uri.erase(plus, scheme_end - plus);
  }
  if (const auto path = After(uri, "sqlite:///")) {
    if (path->empty() || path->starts_with(":memory:")) {
      return MakeError(ErrorKind::kUsage, "an SQLite catalog in memory ends with the process that made it",
                       {.file = uri});
    }
    // Options of Python's driver follow a question mark, unless the path is a URI of SQLite itself.
    ARROW_ASSIGN_OR_RAISE(auto database,
                          OpenSqlite(path->starts_with("file:") ? *path : path->substr(0, path->find('?'))));
    return MakeSqlCatalog(std::move(database), config);
  }
  if (uri.starts_with("postgresql://") || uri.starts_with("postgres://")) {
    ARROW_ASSIGN_OR_RAISE(auto database, OpenPostgres(uri, config.Get("jdbc.user"), config.Get("jdbc.password")));
    return MakeSqlCatalog(std::move(database), config);
  }
  return MakeError(
      ErrorKind::kUnsupported,
      "catalog " + Printable(config.name, 60) + ": of SQL databases, sqlite:///PATH and postgresql://... can be read",
      {.file = HideAddressSecrets(uri)});
}

}  // namespace frazil::iceberg
