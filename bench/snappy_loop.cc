// SPDX-License-Identifier: Apache-2.0
//
// Decompresses every page of the Snappy columns of a file, over and over, with our decoder and with Arrow's codec, and
// prints the least time of each by column.
//
//   snappy_loop FILE
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <vector>

#include <arrow/io/file.h>
#include <arrow/util/compression.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "src/parquet/page_header.h"
#include "src/parquet/snappy.h"

namespace {

constexpr int kTurns = 11;

struct Page {
  std::span<const uint8_t> body;
  size_t size = 0;  // decompressed
};

double LeastMilliseconds(const std::function<void()>& body) {
  double least = 1e9;
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    least =
        std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

arrow::Status Run(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const int64_t file_size, file->GetSize());
  ARROW_ASSIGN_OR_RAISE(auto bytes, file->ReadAt(0, file_size));
  const auto metadata = parquet::ParquetFileReader::Open(file)->metadata();
  ARROW_ASSIGN_OR_RAISE(auto codec, arrow::util::Codec::Create(arrow::Compression::SNAPPY));
  for (int column = 0; column < metadata->num_columns(); ++column) {
    std::vector<Page> pages;
    int64_t total_bytes = 0;
    size_t largest = 0;
    for (int row_group = 0; row_group < metadata->num_row_groups(); ++row_group) {
      const auto group = metadata->RowGroup(row_group);
      const auto chunk = group->ColumnChunk(column);
      if (chunk->compression() != parquet::Compression::SNAPPY) continue;
      int64_t at = chunk->has_dictionary_page() ? chunk->dictionary_page_offset() : chunk->data_page_offset();
      const int64_t end = at + chunk->total_compressed_size();
      while (at < end) {
        ARROW_ASSIGN_OR_RAISE(const auto header, frazil::parquet::ParsePageHeader(std::string_view(*bytes).substr(
                                                     static_cast<size_t>(at), static_cast<size_t>(end - at))));
        if (!header) return arrow::Status::Invalid("no page at ", at);
        const auto* body = bytes->data() + at + header->header_bytes;
        pages.push_back({{body, static_cast<size_t>(header->compressed_page_size)},
                         static_cast<size_t>(header->uncompressed_page_size)});
        total_bytes += header->uncompressed_page_size;
        largest = std::max(largest, pages.back().size);
        at += header->page_bytes();
      }
    }
    std::vector<uint8_t> out(largest);
    bool ok = true;
    const double ours = LeastMilliseconds([&] {
      for (const Page& page : pages) ok &= frazil::parquet::DecompressSnappy(page.body, {out.data(), page.size});
    });
    const double arrows = LeastMilliseconds([&] {
      for (const Page& page : pages) {
        ok &= codec
                  ->Decompress(static_cast<int64_t>(page.body.size()), page.body.data(),
                               static_cast<int64_t>(page.size), out.data())
                  .ok();
      }
    });
    if (!ok) return arrow::Status::Invalid("a page does not decompress");
    std::cout << metadata->schema()->Column(column)->path()->ToDotString() << ": " << total_bytes << " bytes, ours "
              << ours << " ms, Arrow's " << arrows << " ms, ratio " << ours / arrows << "\n";
  }
  return arrow::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: snappy_loop FILE\n";
    return 2;
  }
  const arrow::Status status = Run(argv[1]);
  if (!status.ok()) std::cerr << "snappy_loop: " << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
