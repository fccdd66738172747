// SPDX-License-Identifier: Apache-2.0
//
// Partition transforms, from keys (src/expr/type.h) to keys, exact to the specification.
//
//   identity     any primitive but geometry, geography, variant    the value
//   bucket[N]    int, long, decimal, date, time, timestamps,       int: (murmur3_x86_32(value) & 0x7fffffff) % N
//                string, uuid, fixed, binary
//   truncate[W]  int, long, decimal                                the next lower multiple of W
//                string, binary                                    the first W characters (code points), bytes
//   year, month  date, timestamps                                  int: years, months since 1970, floor
//   day          date, timestamps                                  date
//   hour         timestamps                                        int: hours since 1970-01-01T00, floor
//   void         any                                               always null
// Null gives null. A transform that is not known, or has several sources, is kept with its text and never prunes.
// Source: Iceberg table specification, "Partition Transforms", Appendix B.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/expr/type.h"
#include "src/iceberg/type.h"

namespace frazil::iceberg {

enum class TransformKind { kIdentity, kBucket, kTruncate, kYear, kMonth, kDay, kHour, kVoid, kUnknown };

struct Transform {
  TransformKind kind = TransformKind::kUnknown;
  int width = 0;     // N of bucket, W of truncate: positive
  std::string text;  // as written: "bucket[16]"

  bool operator==(const Transform&) const = default;
};

// Never fails: what is not understood is kUnknown ("bucket[0]" too).
Transform ParseTransform(std::string_view text);

// Whether the specification lets the transform be used on such a source. False for kUnknown.
bool CanTransform(const Transform& transform, const Type& source);

// The type of the partition values. Unset for kUnknown, and for a source that the transform does not take.
// void gives the source's type.
std::optional<Type> ResultType(const Transform& transform, const Type& source);
// The same where the source column is gone: what the transform alone tells (int for bucket, year, month and hour, date
// for day).
std::optional<Type> ResultType(const Transform& transform);

// The partition value of a value that is not null; unset is null (void only).
// REQUIRES: CanTransform(transform, source); the key is one of the source's type.
std::optional<expr::Key> ApplyTransform(const Transform& transform, const Type& source, const expr::Key& key);

// A partition value for people, as Iceberg writes it: years, months and hours as 2024, 2024-01, 2024-01-31-23; others
// as values of `result`, text without quotes. REQUIRES: the key is one of the result's type.
std::string PartitionText(const Transform& transform, const Type& result, const expr::Key& key);

// The hash that bucket takes modulo N. REQUIRES: bucket can transform the type, or it is boolean, float or double.
int32_t BucketHash(const Type& source, const expr::Key& key);

// Murmur3, the 32-bit variant for x86, seed 0.
uint32_t Murmur3(std::string_view bytes);

// Bytes of the first `characters` code points of well-formed UTF-8; unset when the text has fewer, or is not
// well-formed before it has that many.
std::optional<size_t> CharactersBytes(std::string_view text, int characters);

}  // namespace frazil::iceberg
