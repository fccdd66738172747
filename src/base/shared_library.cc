// SPDX-License-Identifier: Apache-2.0
#include "src/base/shared_library.h"

#include <dlfcn.h>

#include "frazil/error.h"

namespace frazil {

arrow::Result<SharedLibrary> SharedLibrary::Load(const std::vector<const char*>& names, const char* package) {
  std::string reasons;
  for (const char* name : names) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL); handle != nullptr) return SharedLibrary(handle, name);
    const char* reason = dlerror();
    reasons += (reasons.empty() ? "" : "; ") + std::string(reason == nullptr ? name : reason);
  }
  return MakeError(ErrorKind::kUnsupported,
                   "a library is missing: " + reasons + " (Debian package " + std::string(package) + ")");
}

arrow::Result<void*> SharedLibrary::Address(const char* symbol) const {
  void* const address = dlsym(handle_, symbol);
  if (address == nullptr) {
    return MakeError(ErrorKind::kUnsupported, name_ + " is too old: it has no " + std::string(symbol));
  }
  return address;
}

}  // namespace frazil
