// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/bloom_filter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <parquet/xxhasher.h>

#include "src/parquet/thrift.h"

namespace frazil::parquet {
namespace {

constexpr std::array<uint32_t, 8> kSalts{0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                         0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};

// Field headers, the three unions of one empty struct each, and the stop byte.
constexpr int64_t kHeaderBytesBesideSize = 14;

int64_t HeaderBytesOf(int64_t bitset_bytes) {
  int64_t bytes = kHeaderBytesBesideSize + 1;
  for (int64_t zigzag = bitset_bytes * 2; zigzag >= 0x80; zigzag >>= 7) ++bytes;
  return bytes;
}

// The number of the one member of a union that is set; 0 when it is not one.
int ReadUnion(CompactReader& reader, CompactReader::Type type) {
  if (type != CompactReader::Type::kStruct) {
    reader.Fail();
    return 0;
  }
  int member = 0;
  int members = 0;
  for (CompactReader::Fields fields(reader); fields.Next();) {
    member = fields.id();
    ++members;
    reader.Skip(fields.type());
  }
  return members == 1 ? member : 0;
}

arrow::Status NotSupported(const char* what, int number) {
  return MakeError(ErrorKind::kUnsupported, std::string(what) + " of the bloom filter is not known" +
                                                (number > 0 ? " (number " + std::to_string(number) + ")" : ""));
}

}  // namespace

std::optional<BloomFilterShape> ShapeOfLength(int64_t offset, int64_t length) {
  const int64_t header_bytes = length % kBloomBlockBytes;
  const int64_t bitset_bytes = length - header_bytes;
  if (length <= 0 || bitset_bytes <= 0 || bitset_bytes > INT32_MAX) return std::nullopt;
  if (HeaderBytesOf(bitset_bytes) != header_bytes) return std::nullopt;
  return BloomFilterShape{offset, static_cast<int32_t>(header_bytes), static_cast<int32_t>(bitset_bytes)};
}

arrow::Result<BloomFilterShape> ParseBloomFilterHeader(std::string_view bytes, int64_t offset) {
  CompactReader reader(bytes.substr(0, kBloomHeaderBytesMax));
  std::optional<int32_t> bitset_bytes;
  int algorithm = 0;
  int hash = 0;
  int compression = 0;
  for (CompactReader::Fields field(reader); field.Next();) {
    switch (field.id()) {
      case 1:
        bitset_bytes = reader.I32If(field);
        break;
      case 2:
        algorithm = ReadUnion(reader, field.type());
        break;
      case 3:
        hash = ReadUnion(reader, field.type());
        break;
      case 4:
        compression = ReadUnion(reader, field.type());
        break;
      default:
        reader.Skip(field.type());
    }
  }
  if (!reader.ok()) return MakeError(ErrorKind::kCorrupt, "the header of the bloom filter is malformed");
  if (algorithm != 1) return NotSupported("the algorithm", algorithm);
  if (hash != 1) return NotSupported("the hash", hash);
  if (compression != 1) return NotSupported("the compression", compression);
  if (!bitset_bytes || *bitset_bytes <= 0 || *bitset_bytes % kBloomBlockBytes != 0) {
    return MakeError(ErrorKind::kCorrupt, "the bloom filter is not of whole blocks");
  }
  return BloomFilterShape{offset, static_cast<int32_t>(reader.position()), *bitset_bytes};
}

std::vector<ByteRange> BlockRanges(const BloomFilterShape& shape, std::span<const uint64_t> hashes) {
  std::vector<int64_t> blocks;
  blocks.reserve(hashes.size());
  for (const uint64_t hash : hashes) blocks.push_back(shape.block(hash));
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  std::vector<ByteRange> ranges;
  for (const int64_t block : blocks) {
    const ByteRange range = shape.block_range(block);
    if (!ranges.empty() && ranges.back().end() == range.offset) {
      ranges.back().length += range.length;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

uint64_t BloomHash(std::string_view bytes) {
  static const ::parquet::XxHasher kHasher;
  const ::parquet::ByteArray value(bytes);
  return kHasher.Hash(&value);
}

bool BlockMayContain(std::string_view block, uint64_t hash) {
  const auto low = static_cast<uint32_t>(hash);
  for (size_t i = 0; i < kSalts.size(); ++i) {
    uint32_t word = 0;
    std::memcpy(&word, block.data() + i * sizeof(word), sizeof(word));  // little-endian, as this machine
    if ((word >> ((low * kSalts[i]) >> 27) & 1U) == 0) return false;
  }
  return true;
}

}  // namespace frazil::parquet
