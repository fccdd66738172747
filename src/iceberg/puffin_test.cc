// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/puffin.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/iceberg/avro_for_test.h"
#include "src/iceberg/deletion_vector.h"

namespace frazil::iceberg {
namespace {

std::string Little32(uint32_t value) { return {reinterpret_cast<const char*>(&value), sizeof(value)}; }

std::string PuffinFile(const std::string& blobs, const std::string& text, uint32_t flags = 0) {
  return "PFA1" + blobs + "PFA1" + text + Little32(static_cast<uint32_t>(text.size())) + Little32(flags) + "PFA1";
}

arrow::Result<PuffinFooter> Footer(std::string_view file) {
  const auto size = static_cast<int64_t>(file.size());
  ARROW_ASSIGN_OR_RAISE(const int64_t footer_bytes, PuffinFooterBytes(file, size));
  return ParsePuffinFooter(file.substr(file.size() - static_cast<size_t>(footer_bytes)), size);
}

std::string Message(std::string_view file, ErrorKind kind = ErrorKind::kCorrupt) {
  const auto footer = Footer(file);
  if (footer.ok()) return "accepted";
  EXPECT_EQ(KindOf(footer.status()), kind);
  return footer.status().message();
}

constexpr std::string_view kPrefix = "the Puffin file is malformed: ";

TEST(Puffin, ReadsItsFooter) {
  const std::string text = R"({"blobs": [
      {"type": "a", "fields": [1, 2], "snapshot-id": 3, "sequence-number": 4, "offset": 4, "length": 5,
       "compression-codec": "zstd", "properties": {"p": "q", "r": 1}},
      {"type": "b", "offset": 9, "length": 0}], "properties": {"created-by": "test"}, "unknown": [{}]})";
  for (const bool compressed : {false, true}) {
    const auto footer =
        Footer(PuffinFile("12345", compressed ? CompressForTest("lz4", text) : text, compressed ? 1 : 0));
    ASSERT_TRUE(footer.ok()) << footer.status().ToString();
    EXPECT_EQ(footer->properties, (std::map<std::string, std::string>{{"created-by", "test"}}));
    ASSERT_EQ(footer->blobs.size(), 2U);
    const PuffinBlob& first = footer->blobs[0];
    EXPECT_EQ(first.type, "a");
    EXPECT_EQ(first.field_ids, (std::vector<int32_t>{1, 2}));
    EXPECT_EQ(first.snapshot_id, 3);
    EXPECT_EQ(first.sequence_number, 4);
    EXPECT_EQ(first.range, (ByteRange{4, 5}));
    EXPECT_EQ(first.codec, "zstd");
    EXPECT_EQ(first.properties, (std::map<std::string, std::string>{{"p", "q"}}));
    EXPECT_EQ(footer->blobs[1].snapshot_id, -1);
    EXPECT_EQ(footer->blobs[1].range, (ByteRange{9, 0}));
  }
}

TEST(Puffin, DecodesBlobs) {
  const std::string content(10'000, 'x');
  for (const std::string_view codec : {"", "lz4", "zstd"}) {
    const std::string stored = codec.empty() ? content : CompressForTest(codec == "lz4" ? "lz4" : "zstandard", content);
    const PuffinBlob blob{.type = "t",
                          .field_ids = {},
                          .range = {4, static_cast<int64_t>(stored.size())},
                          .codec = std::string(codec),
                          .properties = {}};
    const auto decoded = DecodePuffinBlob(blob, stored, 10'000);
    ASSERT_TRUE(decoded.ok()) << codec << ": " << decoded.status().ToString();
    EXPECT_EQ((*decoded)->ToString(), content);
    EXPECT_FALSE(DecodePuffinBlob(blob, stored + "x", 10'000).ok());
    if (codec.empty()) continue;
    EXPECT_EQ(KindOf(DecodePuffinBlob(blob, stored, 9'999).status()), ErrorKind::kBudget);
  }
  const PuffinBlob other{.type = "t", .field_ids = {}, .range = {4, 1}, .codec = "brotli", .properties = {}};
  EXPECT_EQ(KindOf(DecodePuffinBlob(other, "x", 10).status()), ErrorKind::kUnsupported);
}

TEST(Puffin, SaysWhatIsWrongWithAFooter) {
  const auto of_blob = [](const std::string& members) {
    return Message(PuffinFile("12345", R"({"blobs": [{"type": "t")" + members + "}]}"));
  };
  const std::string in_footer = "the footer of the Puffin file: ";
  const std::string outside =
      in_footer + "blobs[0]: a blob of type 't' does not lie between the beginning and the footer";
  EXPECT_EQ(of_blob(R"(, "offset": 4, "length": 5)"), "accepted");
  EXPECT_EQ(of_blob(R"(, "offset": 4, "length": 6)"), outside);
  EXPECT_EQ(of_blob(R"(, "offset": 3, "length": 1)"), outside);
  EXPECT_EQ(of_blob(R"(, "offset": 10, "length": 0)"), outside);
  EXPECT_EQ(of_blob(R"(, "offset": 4, "length": -1)"), outside);
  EXPECT_EQ(of_blob(R"(, "offset": 4, "length": 9223372036854775807)"), outside);
  EXPECT_EQ(of_blob(R"(, "offset": 4, "length": 18446744073709551615)"),
            in_footer + "blobs[0].length: the integer 18446744073709551615 does not fit 64 bits");
  EXPECT_EQ(of_blob(R"(, "offset": 4)"), in_footer + "blobs[0].length: missing");
  EXPECT_EQ(of_blob(R"(, "offset": 4, "offset": 4, "length": 5)"),
            in_footer + "blobs[0].offset: the name is there twice");
  EXPECT_EQ(of_blob(R"(, "offset": 4, "length": 5, "fields": ["x"])"),
            in_footer + "blobs[0].fields[0]: an integer expected, found string");
  EXPECT_EQ(of_blob(R"(, "offset": 4, "length": 5, "fields": [-1])"), in_footer + "blobs[0]: its fields are not ids");
  EXPECT_EQ(Message(PuffinFile("", R"({"blobs": [{}]})")), in_footer + "blobs[0].type: missing");
  EXPECT_EQ(Message(PuffinFile("", R"({"blobs": [1]})")), in_footer + "blobs[0]: an object expected, found number");
  EXPECT_EQ(Message(PuffinFile("", "{}")), in_footer + "blobs: missing");
  EXPECT_TRUE(Message(PuffinFile("", "{")).starts_with(in_footer + "not JSON: "));
  EXPECT_EQ(Message(PuffinFile("", "[]")), in_footer + "an object expected, found array");
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  EXPECT_EQ(Message(PuffinFile("", R"({"blobs": )" + deep + "}")), in_footer + "JSON nested more than 100 levels deep");
  EXPECT_EQ(Message(PuffinFile("", "{}", 2), ErrorKind::kUnsupported),
            "the Puffin file has flags that are not known: 2");
  EXPECT_EQ(Message(PuffinFile("", "{}", 1)), "lz4 bytes end too soon");
  EXPECT_EQ(Message("PFA1"), std::string(kPrefix) + "it does not end with PFA1");
  EXPECT_EQ(Message(""), std::string(kPrefix) + "it does not end with PFA1");
  EXPECT_EQ(Message("PFA1PFA1" + Little32(100) + Little32(0) + "PFA1"),
            std::string(kPrefix) + "its footer of 116 bytes does not fit the file of 20");
  EXPECT_EQ(Message("PFA1xxxx{}" + Little32(2) + Little32(0) + "PFA1"),
            std::string(kPrefix) + "its footer does not begin with PFA1");
}

TEST(Puffin, BoundsACompressedFooter) {
  const std::string stored = CompressForTest("lz4", std::string(kPuffinFooterTextMax + 1, ' '));
  EXPECT_EQ(Message(PuffinFile("", stored, 1), ErrorKind::kBudget),
            "more than 16777216 bytes come out of lz4 in one piece");
}

TEST(Puffin, SurvivesDamage) {
  const std::string sound = PuffinFile("12345", R"({"blobs":[{"type":"t","offset":4,"length":5,"fields":[1]}]})");
  ASSERT_TRUE(Footer(sound).ok());
  for (size_t size = 0; size < sound.size(); ++size) EXPECT_FALSE(Footer(sound.substr(0, size)).ok()) << size;
  for (size_t at = 0; at < sound.size(); ++at) {
    for (const unsigned char flip : {0x01, 0x10, 0x80, 0xff}) {
      std::string damaged = sound;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
      const auto footer = Footer(damaged);
      EXPECT_TRUE(!footer.ok() || footer->blobs.size() == 1 || footer->blobs.empty()) << at;
    }
  }
}

// Every Puffin file from outside: the footer, and every blob that says that it is a deletion vector.
TEST(Puffin, ReadsFilesOfOtherWriters) {
  const char* shared = std::getenv("FRAZIL_SHARED");
  if (shared == nullptr || !std::filesystem::exists(shared)) GTEST_SKIP() << "no data from outside";
  int file_count = 0, vector_count = 0, blob_count = 0;
  for (const char* part : {"fixtures", "corpus/iceberg"}) {
    for (const auto& found : std::filesystem::recursive_directory_iterator(std::filesystem::path(shared) / part)) {
      const std::string name = found.path().filename();
      if (!found.is_regular_file() || (!name.ends_with(".puffin") && !name.ends_with(".stats"))) continue;
      if (name.starts_with("legacy-bare")) continue;  // no Puffin file is around this one
      SCOPED_TRACE(found.path().string());
      std::ifstream in(found.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      const auto footer = Footer(bytes);
      ++file_count;
      if (!footer.ok() && name.starts_with("corrupt_file")) continue;  // made so
      ASSERT_TRUE(footer.ok()) << footer.status().ToString();
      for (const PuffinBlob& blob : footer->blobs) {
        const auto content = DecodePuffinBlob(blob,
                                              std::string_view(bytes).substr(static_cast<size_t>(blob.range.offset),
                                                                             static_cast<size_t>(blob.range.length)),
                                              1 << 20);
        const bool damaged = name.starts_with("corrupt_file") || name.starts_with("metadata_ndv_ok_sketches_corrupt") ||
                             name.starts_with("invalidAndCorrupt");
        ASSERT_TRUE(damaged || content.ok()) << content.status().ToString();
        ++blob_count;
        if (blob.type != "deletion-vector-v1") continue;
        ++vector_count;
        const auto cardinality = blob.properties.find("cardinality");
        ASSERT_NE(cardinality, blob.properties.end());
        const auto rows = DecodeDeletionVector(std::string_view(**content), std::stoll(cardinality->second));
        ASSERT_TRUE(rows.ok()) << rows.status().ToString();
      }
    }
  }
  EXPECT_GE(file_count, 60);
  EXPECT_GE(vector_count, 70);
  EXPECT_GE(blob_count, 200);
}

}  // namespace
}  // namespace frazil::iceberg
