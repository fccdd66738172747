// SPDX-License-Identifier: Apache-2.0
#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "frazil/error.h"
#include "src/base/secret.h"
#include "src/base/shared_library.h"
#include "src/base/text.h"
#include "src/iceberg/catalog/sql_database.h"

namespace frazil::iceberg {
namespace {

constexpr const char* kConnectTimeoutS = "10";
constexpr std::chrono::seconds kQueryTimeout{60};

struct Postgres {
  decltype(&::PQconninfoParse) parse;
  decltype(&::PQconninfoFree) free_options;
  decltype(&::PQfreemem) free_memory;
  decltype(&::PQconnectdbParams) connect;
  decltype(&::PQstatus) status;
  decltype(&::PQfinish) finish;
  decltype(&::PQerrorMessage) error_message;
  decltype(&::PQsendQueryParams) send;
  decltype(&::PQsetSingleRowMode) set_single_row_mode;
  decltype(&::PQsocket) socket;
  decltype(&::PQisBusy) is_busy;
  decltype(&::PQconsumeInput) consume_input;
  decltype(&::PQgetResult) get_result;
  decltype(&::PQclear) clear;
  decltype(&::PQresultStatus) result_status;
  decltype(&::PQresultErrorMessage) result_error_message;
  decltype(&::PQresultErrorField) result_error_field;
  decltype(&::PQnfields) column_count;
  decltype(&::PQfname) column_name;
  decltype(&::PQntuples) row_count;
  decltype(&::PQgetisnull) is_null;
  decltype(&::PQgetvalue) value;
  decltype(&::PQgetlength) length;
};

arrow::Result<Postgres> LoadPostgres() {
  ARROW_ASSIGN_OR_RAISE(const SharedLibrary library, SharedLibrary::Load({"libpq.so.5"}, "libpq5"));
  Postgres pq{};
  ARROW_RETURN_NOT_OK(library.Find("PQconninfoParse", &pq.parse));
  ARROW_RETURN_NOT_OK(library.Find("PQconninfoFree", &pq.free_options));
  ARROW_RETURN_NOT_OK(library.Find("PQfreemem", &pq.free_memory));
  ARROW_RETURN_NOT_OK(library.Find("PQconnectdbParams", &pq.connect));
  ARROW_RETURN_NOT_OK(library.Find("PQstatus", &pq.status));
  ARROW_RETURN_NOT_OK(library.Find("PQfinish", &pq.finish));
  ARROW_RETURN_NOT_OK(library.Find("PQerrorMessage", &pq.error_message));
  ARROW_RETURN_NOT_OK(library.Find("PQsendQueryParams", &pq.send));
  ARROW_RETURN_NOT_OK(library.Find("PQsetSingleRowMode", &pq.set_single_row_mode));
  ARROW_RETURN_NOT_OK(library.Find("PQsocket", &pq.socket));
  ARROW_RETURN_NOT_OK(library.Find("PQisBusy", &pq.is_busy));
  ARROW_RETURN_NOT_OK(library.Find("PQconsumeInput", &pq.consume_input));
  ARROW_RETURN_NOT_OK(library.Find("PQgetResult", &pq.get_result));
  ARROW_RETURN_NOT_OK(library.Find("PQclear", &pq.clear));
  ARROW_RETURN_NOT_OK(library.Find("PQresultStatus", &pq.result_status));
  ARROW_RETURN_NOT_OK(library.Find("PQresultErrorMessage", &pq.result_error_message));
  ARROW_RETURN_NOT_OK(library.Find("PQresultErrorField", &pq.result_error_field));
  ARROW_RETURN_NOT_OK(library.Find("PQnfields", &pq.column_count));
  ARROW_RETURN_NOT_OK(library.Find("PQfname", &pq.column_name));
  ARROW_RETURN_NOT_OK(library.Find("PQntuples", &pq.row_count));
  ARROW_RETURN_NOT_OK(library.Find("PQgetisnull", &pq.is_null));
  ARROW_RETURN_NOT_OK(library.Find("PQgetvalue", &pq.value));
  ARROW_RETURN_NOT_OK(library.Find("PQgetlength", &pq.length));
  return pq;
}

// libpq gives no code for a connection that it did not get.
ErrorKind KindOfConnectError(const std::string& message) {
  for (const char* words : {"authentication failed", "no password supplied", "no pg_hba.conf entry",
                            "permission denied", "certificate", "role \""}) {
    if (message.find(words) != std::string::npos) return ErrorKind::kAccess;
  }
  const bool no_database =
      message.find("database \"") != std::string::npos && message.find("does not exist") != std::string::npos;
  return no_database ? ErrorKind::kNotFound : ErrorKind::kUnavailable;
}

// By SQLSTATE: PostgreSQL documentation, appendix A.
ErrorKind KindOfSqlState(const std::string& state) {
  if (state == "42P01") return ErrorKind::kNotFound;
  if (state == "42501" || state.starts_with("28")) return ErrorKind::kAccess;
  for (const char* kind : {"08", "53", "57", "40"}) {
    if (state.starts_with(kind)) return ErrorKind::kUnavailable;
  }
  return ErrorKind::kInternal;
}

// libpq's messages end in a line end, and may have several lines.
std::string OneLine(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  text.erase(text.find_last_not_of(' ') + 1);
  return Printable(text, 400);
}

class PostgresDatabase : public SqlDatabase {
 public:
  PostgresDatabase(const Postgres& pq, std::string uri, std::string user, std::string password)
      : pq_(pq),
        uri_(std::move(uri)),
        user_(std::move(user)),
        password_(std::move(password)),
        place_{.file = HideAddressSecrets(uri_)} {}
  ~PostgresDatabase() override { Disconnect(); }
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  arrow::Result<SqlRows> Query(const std::string& sql, const std::vector<std::string>& parameters) override {
    if (connection_ == nullptr) ARROW_RETURN_NOT_OK(Connect());
    auto rows = QueryConnected(sql, parameters);
    if (!rows.ok()) Disconnect();  // half an answer may be waiting in it
    return rows;
  }

 private:
  void Disconnect() {
    if (connection_ != nullptr) pq_.finish(connection_);
    connection_ = nullptr;
  }

  arrow::Status Connect() {
    // Its own words would quote the URI, password and all.
    char* error = nullptr;
    PQconninfoOption* options = pq_.parse(uri_.c_str(), &error);
    pq_.free_memory(error);
    if (options == nullptr) {
      return MakeError(ErrorKind::kUsage,
                       "no URI that PostgreSQL understands: check its parts, its %-escapes and the names behind the ?",
                       place_);
    }
    pq_.free_options(options);
    // What comes later in the list wins.
    std::vector<const char*> names{"connect_timeout", "application_name", "client_encoding", "dbname"};
    std::vector<const char*> values{kConnectTimeoutS, "frazil", "UTF8", uri_.c_str()};
    const auto add = [&](const char* name, const std::string& value) {
      if (value.empty()) return;
      names.push_back(name);
      values.push_back(value.c_str());
    };
    add("user", user_);
    add("password", password_);
    names.push_back(nullptr);
    values.push_back(nullptr);
    connection_ = pq_.connect(names.data(), values.data(), 1);
    if (connection_ != nullptr && pq_.status(connection_) == CONNECTION_OK) return arrow::Status::OK();
    const std::string message =
        HideText(connection_ == nullptr ? "out of memory" : pq_.error_message(connection_), password_);
    Disconnect();
    return MakeError(KindOfConnectError(message), "PostgreSQL: " + OneLine(message), place_);
  }

  arrow::Result<SqlRows> QueryConnected(const std::string& sql, const std::vector<std::string>& parameters) {
    std::vector<const char*> values;
    for (const std::string& parameter : parameters) {
      if (parameter.find('\0') != std::string::npos) {
        return MakeError(ErrorKind::kUsage, "a name with a zero byte in it", place_);
      }
      values.push_back(parameter.c_str());
    }
    if (pq_.send(connection_, sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(), nullptr, nullptr,
                 0) == 0) {
      return ConnectionError();
    }
    pq_.set_single_row_mode(connection_);
    const auto deadline = std::chrono::steady_clock::now() + kQueryTimeout;
    SqlRows rows;
    int64_t bytes = 0;
    while (true) {
      ARROW_RETURN_NOT_OK(Wait(deadline));
      const std::unique_ptr<PGresult, decltype(pq_.clear)> result(pq_.get_result(connection_), pq_.clear);
      if (result == nullptr) return rows;
      const ExecStatusType status = pq_.result_status(result.get());
      if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK) {
        const char* state = pq_.result_error_field(result.get(), PG_DIAG_SQLSTATE);
        return MakeError(KindOfSqlState(state == nullptr ? "08" : state),
                         "PostgreSQL: " + OneLine(pq_.result_error_message(result.get())), place_);
      }
      TakeRows(result.get(), &rows, &bytes);
      if (bytes > kSqlBytesMax || static_cast<int64_t>(rows.rows.size()) > kSqlRowsMax) {
        return MakeError(ErrorKind::kBudget, "the catalog answers with too many rows", place_);
      }
    }
  }

  void TakeRows(const PGresult* result, SqlRows* rows, int64_t* bytes) {
    const int columns = pq_.column_count(result);
    if (rows->columns.empty()) {
      for (int i = 0; i < columns; ++i) rows->columns.emplace_back(pq_.column_name(result, i));
    }
    for (int r = 0; r < pq_.row_count(result); ++r) {
      auto& row = rows->rows.emplace_back();
      for (int i = 0; i < columns; ++i) {
        const auto length = static_cast<size_t>(pq_.length(result, r, i));
        row.push_back(pq_.is_null(result, r, i) != 0 ? std::nullopt
                                                     : std::optional(std::string(pq_.value(result, r, i), length)));
        *bytes += static_cast<int64_t>(length);
      }
    }
  }

  // Until a result can be had without waiting.
  arrow::Status Wait(std::chrono::steady_clock::time_point deadline) {
    while (pq_.is_busy(connection_) != 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd socket{.fd = pq_.socket(connection_), .events = POLLIN, .revents = 0};
      const int ready = left.count() <= 0 ? 0 : poll(&socket, 1, static_cast<int>(left.count()));
      if (ready == 0) return MakeError(ErrorKind::kUnavailable, "PostgreSQL does not answer", place_);
      if (ready < 0 && errno == EINTR) continue;
      if (pq_.consume_input(connection_) == 0) return ConnectionError();
    }
    return arrow::Status::OK();
  }

  arrow::Status ConnectionError() {
    return MakeError(ErrorKind::kUnavailable, "PostgreSQL: " + OneLine(pq_.error_message(connection_)), place_);
  }

  const Postgres& pq_;
  const std::string uri_, user_, password_;
  const ErrorPlace place_;
  PGconn* connection_ = nullptr;
};

}  // namespace

arrow::Result<std::unique_ptr<SqlDatabase>> OpenPostgres(const std::string& uri, const std::string& user,
                                                         const std::string& password) {
  static const arrow::Result<Postgres> kPostgres = LoadPostgres();
  ARROW_RETURN_NOT_OK(kPostgres);
  return std::make_unique<PostgresDatabase>(*kPostgres, uri, user, password);
}

}  // namespace frazil::iceberg
