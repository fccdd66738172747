// SPDX-License-Identifier: Apache-2.0
//
// Listing of S3 and stores like it (ListObjectsV2). Only done where a folder or a glob is asked for: nothing is listed
// for a file that is named.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>

#include "src/io/s3_settings.h"

namespace frazil::io {

struct S3Object {
  std::string key;
  int64_t size_bytes = 0;
};

// One answer to ListObjectsV2.
struct S3ListPage {
  std::vector<S3Object> objects;
  std::string next_token;  // empty: the last page
};

// Error: corrupt, for what is no such answer.
arrow::Result<S3ListPage> ParseS3ListPage(std::string_view xml);

// All objects whose key begins with `prefix`, in the store's order, a request for each thousand. `on_request` hears of
// each with the bytes of its answer. Errors: those of the store (src/io/s3_store.h); budget, above kObjectsMax.
arrow::Result<std::vector<S3Object>> ListS3(const S3Settings& settings, const std::string& bucket,
                                            const std::string& prefix,
                                            const std::function<void(int64_t answer_bytes)>& on_request);
inline constexpr size_t kS3ObjectsMax = 1'000'000;

}  // namespace frazil::io
