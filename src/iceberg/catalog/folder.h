// SPDX-License-Identifier: Apache-2.0
//
// Tables in folders: warehouse/namespace/.../table/metadata, as Iceberg's Hadoop catalog lays them out. Local folders.
// Source: Iceberg table specification, "File System Tables"; Java's HadoopTableOperations.
#pragma once

#include <memory>
#include <string>

#include <arrow/result.h>

#include "src/iceberg/catalog/catalog.h"

namespace frazil::iceberg {

// The current metadata file of the table in this folder (a path, or file: URI), as a path.
//   version-hint.text: a number N: vN, or the last of the unbroken run of versions behind it, since a writer may have
//   died before it wrote the hint; a file's name, with or without .metadata.json: that file. No hint, or it names no
//   file: the greatest version of v<N>.metadata.json and <N>-<uuid>.metadata.json.
// Names with .gz or the like in them count as well. One listing of the folder.
// Errors: not found, when there is none; conflict, when two files have the greatest version: nothing tells which one
// was committed; access; unsupported, for other schemes than file.
arrow::Result<std::string> FindMetadataFile(const std::string& table_folder);

// The catalog at the property `warehouse`. Namespaces are the folders that are no tables.
arrow::Result<std::unique_ptr<Catalog>> OpenFolderCatalog(const CatalogConfig& config);

}  // namespace frazil::iceberg
