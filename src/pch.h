// SPDX-License-Identifier: Apache-2.0
//
// The precompiled header: what is large, included by many files and never edited by us. It saves seconds per file.
// Every source file still includes what it uses, so that it compiles without this one (clang-tidy and the header
// check build without it). Nothing of Frazil's own belongs here: a change would rebuild everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/api.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/level_conversion.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>
