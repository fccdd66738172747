// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/project.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/expr/interval_union.h"
#include "src/expr/literal.h"
#include "src/iceberg/calendar.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Interval;
using expr::IntervalSet;
using expr::Key;
using expr::KeySet;
using expr::KeyTraits;
using Numbers = IntervalSet<Int128>;
using Texts = IntervalSet<std::string>;

struct ClosedRange {
  Int128 min;
  Int128 max;
};

// What values of a type can be stored; decimals are taken as they come, whatever their precision says.
ClosedRange DomainOf(const Type& type) {
  switch (type.id) {
    case TypeId::kInt:
    case TypeId::kDate:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case TypeId::kDecimal:
      return {KeyTraits<Int128>::kLeast, std::numeric_limits<Int128>::max()};
    default:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

template <typename K, typename F>
IntervalSet<K> MapIntervals(const IntervalSet<K>& keys, F image_of) {
  std::vector<IntervalSet<K>> images;
  images.reserve(keys.intervals().size());
  for (const Interval<K>& interval : keys.intervals()) images.push_back(image_of(interval));
  return expr::UnionOf<K>(images);
}

// --- year, month, day, hour

bool RoundedTowardsZero(TransformKind kind, const Type& source) {
  return kind != TransformKind::kDay || source.id != TypeId::kDate;
}

Numbers TimeImage(TransformKind kind, const Type& source, const Numbers& keys) {
  const ClosedRange domain = DomainOf(source);
  return MapIntervals(keys, [&](const Interval<Int128>& interval) {
    Int128 begin = KeyTraits<Int128>::kLeast;
    if (interval.begin > domain.max) return Numbers::None();
    if (interval.begin >= domain.min) begin = TimeOrdinal(kind, source, interval.begin);
    std::optional<Int128> end;
    if (interval.end && *interval.end <= domain.min) return Numbers::None();
    if (interval.end && *interval.end - 1 <= domain.max) end = TimeOrdinal(kind, source, *interval.end - 1) + 1;
    if (RoundedTowardsZero(kind, source) && end && *end <= 0) ++*end;
    return Numbers::Range(begin, end);
  });
}

// --- truncate

Int128 Multiple(Int128 value, int width) { return FloorDiv(value, width) * width; }

// The values of `bits` bits whose multiple of W is less than the least one: writers let it wrap around.
struct Wrap {
  Int128 begin;    // the least value
  Int128 end;      // first value that is truncated to itself or above `begin`
  Int128 wrapped;  // the partition value that they got instead
};

std::vector<Wrap> WrapsOf(const Type& source, int width) {
  std::vector<Wrap> wraps;
  // A long may have been an int when its oldest partitions were written.
  for (const int bits : {32, 64}) {
    if (source.id == TypeId::kDecimal || (source.id == TypeId::kInt && bits == 64)) continue;
    const Int128 least = -(Int128{1} << (bits - 1));
    const Int128 multiple = Multiple(least, width);
    if (multiple < least) wraps.push_back({least, multiple + width, multiple + (Int128{1} << bits)});
  }
  return wraps;
}

// (v % W) + W may exceed an int in writers that compute in ints; then any value can come out.
bool WidthOverflows(const Type& source, int width) { return source.id != TypeId::kDecimal && width > (1 << 30); }

bool Touches(const Numbers& keys, Int128 begin, Int128 end) {
  return keys.Judge(begin, end - 1) != expr::Overlap::kNone;
}

Numbers TruncateImage(const Type& source, int width, const Numbers& keys) {
  if (WidthOverflows(source, width)) return keys.empty() ? Numbers::None() : Numbers::All();
  Numbers image = MapIntervals(keys, [&](const Interval<Int128>& interval) {
    // Nothing is stored so near to the least key, and its multiple might have no key.
    const bool open = interval.begin < KeyTraits<Int128>::kLeast + width;
    const Int128 begin = open ? KeyTraits<Int128>::kLeast : Multiple(interval.begin, width);
    std::optional<Int128> end;
    if (interval.end && *interval.end < KeyTraits<Int128>::kLeast + width) {
      end = interval.end;
    } else if (interval.end) {
      end = Multiple(*interval.end - 1, width) + 1;
    }
    return Numbers::Range(begin, end);
  });
  for (const Wrap& wrap : WrapsOf(source, width)) {
    if (!Touches(keys, wrap.begin, wrap.end)) continue;
    image = image.Union(Numbers::Points({wrap.wrapped, wrap.begin}));
  }
  return image;
}

// Where the first `width` characters or bytes end; unset when there are no more.
std::optional<size_t> CutOf(const Type& source, int width, const std::string& key) {
  if (source.id == TypeId::kString) return CharactersBytes(key, width);
  if (key.size() < static_cast<size_t>(width)) return std::nullopt;
  return static_cast<size_t>(width);
}

// Order is kept: a text between two lies, cut, between those two, cut. Ends that are no well-formed text stay right:
// they are cut only within what is well-formed, and every text that is well-formed compares to them as it should.
Texts TruncateImage(const Type& source, int width, const Texts& keys) {
  return MapIntervals(keys, [&](const Interval<std::string>& interval) {
    const auto begin_cut = CutOf(source, width, interval.begin);
    std::string begin = interval.begin.substr(0, begin_cut.value_or(interval.begin.size()));
    std::optional<std::string> end = interval.end;
    if (end) {
      // The end itself is not in the interval, but what it is cut to is, if anything was cut off.
      const auto end_cut = CutOf(source, width, *end);
      if (end_cut && *end_cut < end->size()) end = KeyTraits<std::string>::Successor(end->substr(0, *end_cut));
    }
    return Texts::Range(std::move(begin), std::move(end));
  });
}

// --- bucket

Numbers AllBuckets(const Transform& transform) { return Numbers::Range(0, Int128{transform.width}); }

// The buckets of values, one by one. Many values soon fall into every bucket, and then no more need to be hashed.
class BucketsOf {
 public:
  BucketsOf(const Transform& transform, const Type& source) : transform_(transform), source_(source) {}

  // Whether there are buckets that no value fell into yet.
  bool Add(Key value) {
    buckets_.push_back(std::get<Int128>(*ApplyTransform(transform_, source_, std::move(value))));
    if (buckets_.size() < next_count_) return true;
    std::sort(buckets_.begin(), buckets_.end());
    buckets_.erase(std::unique(buckets_.begin(), buckets_.end()), buckets_.end());
    next_count_ = 2 * buckets_.size() + kCountedAtLeast;
    return static_cast<int64_t>(buckets_.size()) < transform_.width;
  }
  Numbers Take() { return Numbers::Points(std::move(buckets_)); }

 private:
  static constexpr size_t kCountedAtLeast = 64;
  const Transform& transform_;
  const Type& source_;
  std::vector<Int128> buckets_;
  size_t next_count_ = kCountedAtLeast;
};

Numbers BucketImage(const Transform& transform, const Type& source, const Numbers& keys) {
  const ClosedRange domain = DomainOf(source);
  // Nanoseconds are hashed as microseconds.
  const int step = source.id == TypeId::kTimestampNs || source.id == TypeId::kTimestampTzNs ? 1000 : 1;
  std::vector<ClosedRange> ranges;
  Int128 budget = kBucketValuesMax;
  for (const Interval<Int128>& interval : keys.intervals()) {
    const Int128 min = std::max(interval.begin, domain.min);
    const Int128 max = interval.end ? std::min<Int128>(*interval.end - 1, domain.max) : domain.max;
    if (min > max) continue;
    ranges.push_back({FloorDiv(min, step), FloorDiv(max, step)});
    // Of a decimal, the number of values may itself exceed the integers.
    if (ranges.back().max >= 0 ? ranges.back().min < ranges.back().max - budget
                               : ranges.back().max > ranges.back().min + budget) {
      return AllBuckets(transform);
    }
    budget -= ranges.back().max - ranges.back().min + 1;
    if (budget < 0) return AllBuckets(transform);
  }
  BucketsOf buckets(transform, source);
  for (const ClosedRange& range : ranges) {
    const auto count = static_cast<int>(range.max - range.min) + 1;
    for (int i = 0; i < count; ++i) {
      if (!buckets.Add(Key((range.min + i) * step))) return AllBuckets(transform);
    }
  }
  return buckets.Take();
}

Numbers BucketImage(const Transform& transform, const Type& source, const Texts& keys) {
  BucketsOf buckets(transform, source);
  for (const Interval<std::string>& interval : keys.intervals()) {
    if (!interval.is_point() || !buckets.Add(Key(interval.begin))) return AllBuckets(transform);
  }
  return buckets.Take();
}

// --- all of them

// The partition values that rows with these keys can have.
// REQUIRES: CanTransform(transform, source); not void.
KeySet Image(const Transform& transform, const Type& source, const KeySet& keys) {
  switch (transform.kind) {
    case TransformKind::kBucket:
      return std::visit([&](const auto& set) -> KeySet { return BucketImage(transform, source, set); }, keys);
    case TransformKind::kTruncate:
      return std::visit([&](const auto& set) -> KeySet { return TruncateImage(source, transform.width, set); }, keys);
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
    case TransformKind::kHour:
      return TimeImage(transform.kind, source, std::get<Numbers>(keys));
    default:
      return keys;
  }
}

bool Says(const Transform& transform, const Type& source) {
  return transform.kind != TransformKind::kVoid && CanTransform(transform, source);
}

std::optional<PartitionKeys> Project(const Transform& transform, const Type& source, const expr::Leaf& leaf,
                                     ProjectionKind kind) {
  return kind == ProjectionKind::kInclusive ? ProjectInclusive(transform, source, leaf)
                                            : ProjectStrict(transform, source, leaf);
}

// Builds the projected filter: leaves are replaced, the tree around them stays.
class FilterProjector {
 public:
  FilterProjector(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter, ProjectionKind kind)
      : spec_(spec), schema_(schema), filter_(filter), kind_(kind) {}

  expr::BoundFilter Make() {
    out_.root = Walk(filter_.root);
    return std::move(out_);
  }

 private:
  expr::Predicate Walk(const expr::Predicate& predicate) {
    std::vector<expr::Predicate> children;
    for (const expr::Predicate& child : predicate.children) children.push_back(Walk(child));
    switch (predicate.kind) {
      case expr::Predicate::Kind::kLeaf:
        return ProjectLeaf(predicate.leaf);
      case expr::Predicate::Kind::kAnd:
        return expr::Predicate::And(std::move(children));
      case expr::Predicate::Kind::kOr:
        return expr::Predicate::Or(std::move(children));
      default:
        return predicate;
    }
  }

  expr::Predicate ProjectLeaf(const expr::Leaf& leaf) {
    const expr::BoundColumn& column = filter_.columns[leaf.column];
    const NestedField* source = schema_.FindById(column.ref);
    std::vector<expr::Predicate> parts;
    for (size_t i = 0; source != nullptr && i < spec_.fields.size(); ++i) {
      const PartitionField& field = spec_.fields[i];
      if (field.source_ids != std::vector<int>{column.ref}) continue;
      auto keys = Project(field.transform, source->type, leaf, kind_);
      if (!keys) continue;
      expr::Leaf projected;
      projected.column = ColumnOf(static_cast<int>(i), source->type);
      projected.keys = std::move(keys->keys);
      projected.matches_null = keys->matches_null;
      projected.text = leaf.text;
      parts.push_back(expr::Predicate::Of(std::move(projected)));
    }
    // Neither is there a field to object, nor one to vouch for every row.
    return kind_ == ProjectionKind::kInclusive ? expr::Predicate::And(std::move(parts))
                                               : expr::Predicate::Or(std::move(parts));
  }

  // The index of the column for field `index` of the spec, made when it is first asked for.
  int ColumnOf(int index, const Type& source) {
    for (size_t i = 0; i < out_.columns.size(); ++i) {
      if (out_.columns[i].ref == index) return static_cast<int>(i);
    }
    const PartitionField& field = spec_.fields[index];
    out_.columns.push_back({field.name, FilterType(*ResultType(field.transform, source)), index});
    return static_cast<int>(out_.columns.size()) - 1;
  }

  const PartitionSpec& spec_;
  const Schema& schema_;
  const expr::BoundFilter& filter_;
  const ProjectionKind kind_;
  expr::BoundFilter out_;
};

std::optional<KeySet> TimeSourceKeys(TransformKind kind, const Type& source, Int128 ordinal) {
  // A partition value has 32 bits; anything else is nonsense.
  if (ordinal < std::numeric_limits<int32_t>::min() || ordinal > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  const bool one_less = ordinal <= 0 && RoundedTowardsZero(kind, source);
  const auto begin = TimeBegin(kind, source, one_less ? ordinal - 1 : ordinal);
  return Numbers::Range(begin.value_or(KeyTraits<Int128>::kLeast), TimeBegin(kind, source, ordinal + 1));
}

std::optional<KeySet> TruncateSourceKeys(const Type& source, int width, const Key& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const auto cut = CutOf(source, width, *text);
    if (!cut) return Texts::Point(*text);
    if (*cut < text->size()) return std::nullopt;
    return expr::PrefixKeys(*text);
  }
  const Int128 number = std::get<Int128>(value);
  // No decimal comes near the ends of 128 bits; bytes that say so are nonsense.
  if (WidthOverflows(source, width) || number < KeyTraits<Int128>::kLeast + width ||
      number > std::numeric_limits<Int128>::max() - width) {
    return std::nullopt;
  }
  Numbers keys = Numbers::Range(number, number + width);
  for (const Wrap& wrap : WrapsOf(source, width)) {
    if (number == wrap.wrapped || number == wrap.begin) keys = keys.Union(Numbers::Range(wrap.begin, wrap.end));
  }
  return keys;
}

}  // namespace

std::optional<PartitionKeys> ProjectInclusive(const Transform& transform, const Type& source, const expr::Leaf& leaf) {
  if (!Says(transform, source)) return std::nullopt;
  return PartitionKeys{Image(transform, source, leaf.keys), leaf.matches_null};
}

std::optional<PartitionKeys> ProjectStrict(const Transform& transform, const Type& source, const expr::Leaf& leaf) {
  if (!Says(transform, source)) return std::nullopt;
  // Whether a row with these keys matches is not known where a pattern decides.
  if (!leaf.is_exact()) {
    return PartitionKeys{expr::NoKeys(FilterType(*ResultType(transform, source))), leaf.matches_null};
  }
  const KeySet others = Image(transform, source, expr::ComplementKeys(leaf.keys));
  // Not merely what the others can not have: a value that no row can have says nothing of its rows.
  return PartitionKeys{expr::IntersectKeys(Image(transform, source, leaf.keys), expr::ComplementKeys(others)),
                       leaf.matches_null};
}

expr::BoundFilter ProjectFilter(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter,
                                ProjectionKind kind) {
  return FilterProjector(spec, schema, filter, kind).Make();
}

std::optional<KeySet> SourceKeys(const Transform& transform, const Type& source, const Key& value) {
  if (!Says(transform, source)) return std::nullopt;
  switch (transform.kind) {
    case TransformKind::kIdentity:
      return std::visit([](const auto& key) -> KeySet { return IntervalSet<std::decay_t<decltype(key)>>::Point(key); },
                        value);
    case TransformKind::kTruncate:
      return TruncateSourceKeys(source, transform.width, value);
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
    case TransformKind::kHour:
      return TimeSourceKeys(transform.kind, source, std::get<Int128>(value));
    default:
      return std::nullopt;
  }
}

}  // namespace frazil::iceberg
