// SPDX-License-Identifier: Apache-2.0
//
// Libraries that are loaded when they are first needed, so that nobody who does not need them pays for them at start:
//
//   ARROW_ASSIGN_OR_RAISE(const SharedLibrary library, SharedLibrary::Load({"libpq.so.5"}, "libpq5"));
//   ARROW_RETURN_NOT_OK(library.Find("PQfinish", &functions.finish));   // decltype(&::PQfinish)
// Never unloaded: what was found stays valid until the process ends.
#pragma once

#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>

namespace frazil {

class SharedLibrary {
 public:
  // The first of `names` that the dynamic linker finds. Error: unsupported, with its words and with `package`, the
  // Debian package that brings the library.
  static arrow::Result<SharedLibrary> Load(const std::vector<const char*>& names, const char* package);

  template <typename Function>
  arrow::Status Find(const char* symbol, Function* function) const {
    ARROW_ASSIGN_OR_RAISE(void* const address, Address(symbol));
    *function = reinterpret_cast<Function>(address);
    return arrow::Status::OK();
  }

 private:
  SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  arrow::Result<void*> Address(const char* symbol) const;

  void* handle_;
  std::string name_;
};

}  // namespace frazil
