// SPDX-License-Identifier: Apache-2.0
#include "src/scan/open_file.h"

#include <algorithm>
#include <utility>

namespace frazil::scan {
namespace {

constexpr int64_t kTailBytesMin = 48 << 10;
constexpr int64_t kTailBytesMax = 512 << 10;

ByteRange Tail(int64_t file_bytes, int64_t tail_bytes) {
  const int64_t length = std::min(file_bytes, tail_bytes);
  return {file_bytes - length, length};
}

}  // namespace

arrow::Result<OpenedFile> OpenFile(std::shared_ptr<ByteSource> source, io::RangeReader* reader) {
  const std::string name = source->name();
  auto open = [&]() -> arrow::Result<OpenedFile> {
    int64_t tail_bytes = std::clamp(reader->cost_model().gap_bytes(), kTailBytesMin, kTailBytesMax);
    OpenedFile file;
    file.source = std::move(source);
    // Where a size costs a request, the tail's own answer tells it.
    if (!reader->size_is_known()) ARROW_RETURN_NOT_OK(reader->ReadTail(tail_bytes));
    ARROW_ASSIGN_OR_RAISE(const int64_t file_size, reader->Size());
    if (file_size <= tail_bytes + tail_bytes / 2 && !reader->Holds(Tail(file_size, tail_bytes))) tail_bytes = file_size;
    while (file.footer == nullptr) {
      ARROW_ASSIGN_OR_RAISE(file.tail, reader->ReadTail(tail_bytes));
      int64_t needed = 0;
      ARROW_ASSIGN_OR_RAISE(file.footer,
                            parquet::Footer::Parse(file.tail, file_size, parquet::FooterOptions{}, &needed));
      if (file.footer == nullptr && needed <= file.tail->size()) {
        return MakeError(ErrorKind::kInternal, "the footer asks for bytes that were given");
      }
      tail_bytes = needed;
    }
    file.tail_offset = file_size - file.tail->size();
    return file;
  };
  auto opened = open();
  if (!opened.ok()) return AddPlace(opened.status(), {.file = name});
  return opened;
}

}  // namespace frazil::scan
