// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 and its HMAC, by libcrypto, loaded when it is first needed.
#pragma once

#include <string>
#include <string_view>

#include <arrow/result.h>

namespace frazil::io {

// 64 hexadecimal digits, in lower case. Error: unsupported, when there is no libcrypto.
arrow::Result<std::string> Sha256Hex(std::string_view text);

// 32 bytes (RFC 2104).
arrow::Result<std::string> HmacSha256(std::string_view key, std::string_view text);

// Bytes as hexadecimal digits, in lower case.
std::string Hex(std::string_view bytes);

}  // namespace frazil::io
