// SPDX-License-Identifier: Apache-2.0
#include "src/io/digest.h"

#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "frazil/error.h"
#include "src/base/shared_library.h"
#include "src/base/text.h"

namespace frazil::io {
namespace {

struct Crypto {
  decltype(&::SHA256) sha256;
  decltype(&::HMAC) hmac;
  decltype(&::EVP_sha256) evp_sha256;
};

arrow::Result<Crypto> Load() {
  ARROW_ASSIGN_OR_RAISE(const SharedLibrary library,
                        SharedLibrary::Load({"libcrypto.so.3", "libcrypto.so.1.1"}, "libssl3"));
  Crypto crypto{};
  ARROW_RETURN_NOT_OK(library.Find("SHA256", &crypto.sha256));
  ARROW_RETURN_NOT_OK(library.Find("HMAC", &crypto.hmac));
  ARROW_RETURN_NOT_OK(library.Find("EVP_sha256", &crypto.evp_sha256));
  return crypto;
}

arrow::Result<const Crypto*> LoadedCrypto() {
  static const arrow::Result<Crypto> kCrypto = Load();
  ARROW_RETURN_NOT_OK(kCrypto);
  return &*kCrypto;
}

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

std::string Hex(std::string_view bytes) {
  std::string digits;
  for (const char c : bytes) {
    const unsigned byte = static_cast<unsigned char>(c);
    digits += HexDigit(byte >> 4U);
    digits += HexDigit(byte & 15U);
  }
  return digits;
}

arrow::Result<std::string> Sha256Hex(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const Crypto* const crypto, LoadedCrypto());
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  crypto->sha256(Bytes(text), text.size(), reinterpret_cast<unsigned char*>(digest.data()));
  return Hex(digest);
}

arrow::Result<std::string> HmacSha256(std::string_view key, std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const Crypto* const crypto, LoadedCrypto());
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  unsigned length = 0;
  if (crypto->hmac(crypto->evp_sha256(), key.data(), static_cast<int>(key.size()), Bytes(text), text.size(),
                   reinterpret_cast<unsigned char*>(digest.data()), &length) == nullptr) {
    return MakeError(ErrorKind::kInternal, "libcrypto computes no HMAC");
  }
  return digest;
}

}  // namespace frazil::io
