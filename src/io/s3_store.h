// SPDX-License-Identifier: Apache-2.0
//
// S3 and stores like it: addresses, signatures, and what their refusals mean.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/result.h>

#include "src/io/http_store.h"
#include "src/io/s3_settings.h"

namespace frazil::io {

// "s3://bucket/a/b" (also s3a, s3n); the key is raw, as Iceberg writes it.
struct S3Address {
  std::string bucket;
  std::string key;
};
// Error: usage, for an address without a bucket.
arrow::Result<S3Address> ParseS3Address(std::string_view address);
bool IsS3Address(std::string_view address);

// The URL of a key ("" for the bucket itself), each segment of it percent-encoded; by path or by host, as the settings
// say (a bucket with a dot in its name by path, where TLS would not know it).
std::string S3Url(const S3Settings& settings, const S3Address& address);

// One bucket, as its files are read. Credentials that are missing are an error of kind access with the first request.
std::shared_ptr<const HttpStore> MakeS3Store(S3Settings settings, std::string bucket);

}  // namespace frazil::io
