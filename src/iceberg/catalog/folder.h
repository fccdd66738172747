// SPDX-License-Identifier: Apache-2.0
//
// Tables in folders: warehouse/namespace/.../table/metadata, as Iceberg's Hadoop catalog lays them out. Local folders.
// Source: Iceberg table specification, "File System Tables"; Java's HadoopTableOperations.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/result.h>

#include "src/iceberg/catalog/catalog.h"
#include "src/io/trace.h"

namespace frazil::iceberg {

// Whether a metadata file may be called so: *.metadata.json, also with .gz behind it.
bool IsMetadataFileName(std::string_view name);

// Whether the folder, a path, has a folder metadata/ with a version hint or metadata files in it.
bool IsTableFolder(const std::string& folder);

// The current metadata file of the table in this folder (a path, or file: URI), as a path.
//   version-hint.text: a number N: vN, or the last of the unbroken run of versions behind it, since a writer may have
//   died before it wrote the hint; or the one N-<uuid>. A file's name, with or without .metadata.json: that file. No
//   hint, or no name of a file: the greatest version of v<N>.metadata.json and <N>-<uuid>.metadata.json, or the only
//   file when no name tells a version.
// Names with .gz in them or behind them count as well. One listing of the folder; the request for the hint goes to
// `trace` (may be null).
// Errors: not found, when there is none, or not the version of the hint; conflict, when two files have the greatest
// version: nothing tells which one was committed; access; unsupported, for other schemes than file.
arrow::Result<std::string> FindMetadataFile(const std::string& table_folder,
                                            const std::shared_ptr<io::Trace>& trace = nullptr);

// The catalog at the property `warehouse`. Namespaces are the folders that are no tables.
arrow::Result<std::unique_ptr<Catalog>> OpenFolderCatalog(const CatalogConfig& config);

}  // namespace frazil::iceberg
