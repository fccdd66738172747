// SPDX-License-Identifier: Apache-2.0
//
// Avro's object container file, block by block: the header (metadata, the writer's schema, the sync marker), then
// blocks of records, each decompressed when it is asked for. Works on the bytes of a whole file; reads no file. Source:
// Apache Avro specification 1.12 "Object Container Files".
//
//   ARROW_ASSIGN_OR_RAISE(auto file, AvroContainer::Open(bytes));
//   while (true) {
//     ARROW_ASSIGN_OR_RAISE(auto block, file.NextBlock());
//     if (!block) break;
//     AvroDecoder in(block->bytes);   // block->record_count records of file.schema()
//   }
//
// Memory: the schema, and one decompressed block, in a buffer used for all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>

#include "frazil/error.h"
#include "src/iceberg/avro_schema.h"
#include "src/iceberg/decompress.h"

namespace frazil::iceberg {

struct AvroBlock {
  int64_t record_count = 0;  // at most bytes.size(): schemas whose records take no bytes are refused
  std::string_view bytes;    // decompressed; valid until the next NextBlock
  ByteRange stored;          // its bytes in the file, between its header and its marker
};

class AvroContainer {
 public:
  // A block that decompresses to more is refused (kind budget). Writers make blocks of 16 to 64 kB; some write one
  // block a manifest.
  static constexpr int64_t kBlockBytesMax = int64_t{512} << 20;

  // `bytes` must outlive the result. Codecs null, deflate, snappy, zstandard; no codec is null. Errors: kind corrupt
  // when the header is malformed, kind unsupported for other codecs and for files that Iceberg has
  // encrypted.
  // `schemas` (may be null) knows schemas that were parsed before.
  static arrow::Result<AvroContainer> Open(std::string_view bytes, AvroSchemas* schemas = nullptr);

  const AvroSchema& schema() const { return *schema_; }
  // The value of a key of the header's metadata; of a key that is there twice the last.
  std::optional<std::string_view> metadata(std::string_view key) const;

  // The next block, unset at the end. Errors: kind corrupt, with the block's byte range, when a count or size does not
  // fit the file, the marker after the block is another one, or the compressed bytes are malformed.
  arrow::Result<std::optional<AvroBlock>> NextBlock();

 private:
  explicit AvroContainer(Decompressor decompressor) : decompressor_(std::move(decompressor)) {}
  arrow::Result<std::string_view> Decompressed(std::string_view stored);

  std::string_view file_;
  int64_t position_ = 0;  // of the next block
  std::string_view sync_;
  std::vector<std::pair<std::string_view, std::string_view>> metadata_;
  std::shared_ptr<const AvroSchema> schema_;
  Decompressor decompressor_;
  bool has_checksum_ = false;  // snappy: four bytes after the block
};

}  // namespace frazil::iceberg
