// SPDX-License-Identifier: Apache-2.0
//
// The files of the AWS command line: ~/.aws/config and ~/.aws/credentials.
//
//   [profile lake]                 in config ("[default]" for the default one); "[lake]" in credentials
//   region = eu-central-1
//   services = local
//   s3 =
//     addressing_style = path      nested: "s3.addressing_style"
//   [services local]
//   s3 =
//     endpoint_url = http://127.0.0.1:9000
// Source: AWS SDKs and Tools Reference Guide, "Shared config and credentials files", "Service-specific endpoints".
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <arrow/result.h>

namespace frazil::io {

struct AwsValue {
  std::string text;
  std::string source;  // "/home/a/.aws/config:4"
};

// Of one section; names in lower case.
using AwsSection = std::map<std::string, AwsValue>;

// By the words in the brackets, blanks as one: "default", "profile lake", "services local".
using AwsSections = std::map<std::string, AwsSection>;

// Lines that are neither section, name = value, comment nor blank are passed over, as the AWS tools do. `file` is for
// the sources.
AwsSections ParseAwsFile(std::string_view text, const std::string& file);

// The sections of a file; none when there is no such file, or it is no regular one. Errors: access; usage, for a file
// above 1 MiB.
arrow::Result<AwsSections> ReadAwsFile(const std::string& path);

}  // namespace frazil::io
