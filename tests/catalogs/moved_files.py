# SPDX-License-Identifier: Apache-2.0
"""pyiceberg's files, read from where a table was copied to: the property `moved` holds FROM=TO."""

from pyiceberg.io.pyarrow import PyArrowFileIO


class MovedFiles(PyArrowFileIO):
    def new_input(self, location):
        begin, moved = self.properties["moved"].split("=", 1)
        path = location.removeprefix("file:")
        path = "/" + path.lstrip("/")
        return super().new_input(moved + path.removeprefix(begin) if path.startswith(begin) else location)
