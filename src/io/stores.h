// SPDX-License-Identifier: Apache-2.0
//
// Stores: from addresses to files, wherever they lie.
//
//   local paths, file://      local files
//   s3://, s3a://, s3n://     S3 and stores like it, by libcurl; settings by src/io/s3_settings.h
//   http://, https://         any server that answers ranges, by libcurl
//
// One Stores serves one table: its connections and its credentials.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>

#include "frazil/byte_source.h"
#include "src/io/http_pool.h"
#include "src/io/s3_settings.h"
#include "src/io/trace.h"

namespace frazil::io {

// A file that an address stands for.
struct StoredFile {
  std::string address;
  int64_t size_bytes = -1;  // < 0: not known
};

// Thread safety: all calls may be made from several threads at once.
class Stores {
 public:
  // `properties` hold for all files, those of `by_prefix` over them for the addresses below a prefix, the longest that
  // fits. Nothing is resolved or loaded before a file needs it.
  explicit Stores(StoreProperties properties = {}, std::vector<std::pair<std::string, StoreProperties>> by_prefix = {},
                  StoreEnvironment environment = StoreEnvironmentOfProcess());

  // Opens a file; of a store without a request, and so without knowing whether it is there. `size_bytes` < 0: not
  // known. Errors: not found, access (local); unsupported, for other schemes, or without libcurl; usage, for malformed
  // addresses and settings.
  arrow::Result<std::shared_ptr<ByteSource>> Open(const std::string& address, int64_t size_bytes = -1);

  // The files that an address stands for, sorted by name: a local one as ExpandAddress does. s3://BUCKET/FOLDER/ (with
  // a slash at its end) gives every *.parquet file below it, names that begin with . or _ skipped, a glob (* ? [..]
  // within a folder, ** over folders) its matches, both by listing; anything else itself, unchecked. The requests of a
  // listing go to `trace`. Errors: those of ExpandAddress and of the store.
  arrow::Result<std::vector<StoredFile>> Expand(const std::string& address, Trace* trace);

  // The settings that hold for an address of S3.
  arrow::Result<S3Settings> S3SettingsOf(const std::string& address) const;

 private:
  arrow::Result<std::shared_ptr<HttpPool>> PoolOf(const HttpPoolSettings& settings);

  const StoreProperties properties_;
  const std::vector<std::pair<std::string, StoreProperties>> by_prefix_;
  const StoreEnvironment environment_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<HttpPool>> pools_;
};

// Whether an address is that of a store, not of a local file; of one that can be read.
bool IsStoreAddress(std::string_view address);
bool IsReadableStore(std::string_view address);

}  // namespace frazil::io
