// SPDX-License-Identifier: Apache-2.0
//
// Avro container files: whatever is in them, a record is skipped within its block. Parsed by way of a collection of
// schemas, a schema is the same.
//
// Input: the file.
#include "src/iceberg/avro_container.h"
#include "src/iceberg/avro_decoder.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

using iceberg::AvroContainer;
using iceberg::AvroDecoder;

// Blocks may be many times their stored size; a file of them all is not read to its end.
constexpr int64_t kPlainBytesMax = 16 << 20;

void Check(std::string_view bytes) {
  iceberg::AvroSchemas schemas;
  auto file = AvroContainer::Open(bytes, &schemas);
  Require(file.ok() == AvroContainer::Open(bytes, &schemas).ok(), "a schema that is known is read as one that is not");
  if (!file.ok()) return;
  for (int64_t plain_bytes = 0; plain_bytes < kPlainBytesMax;) {
    const auto block = file->NextBlock();
    if (!block.ok() || !*block) return;
    plain_bytes += static_cast<int64_t>((*block)->bytes.size());
    AvroDecoder in((*block)->bytes);
    for (int64_t record = 0; record < (*block)->record_count && in.ok(); ++record) {
      const int64_t begin = in.position();
      in.Skip(file->schema(), iceberg::AvroSchema::kRoot);
      if (!in.ok()) return;
      Require(in.position() - begin >= file->schema().root().min_bytes, "a record takes its least bytes");
      Require(in.position() <= static_cast<int64_t>((*block)->bytes.size()), "a record ends within its block");
    }
  }
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(avro, frazil::fuzz::Check)
