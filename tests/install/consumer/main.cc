// SPDX-License-Identifier: Apache-2.0
//
// Somebody else's program: it knows nothing but the installed headers. Reads from memory, and asks for too much.
#include <cstdio>

#include <frazil/byte_source.h>
#include <frazil/error.h>

int main() {
  auto source = frazil::FromBuffer(arrow::Buffer::FromString("needles"), "hay");
  auto inside = source->Read({.offset = 3, .length = 4});
  auto behind = source->Read({.offset = 3, .length = 5});
  if (!inside.ok() || behind.ok()) return 1;
  std::printf("%s, then %s\n", (*inside)->ToString().c_str(), frazil::ErrorKindName(frazil::KindOf(behind.status())));
  return 0;
}
