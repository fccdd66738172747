#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of the tree that no compiler checks. Each finding is a line `file:line: what`; exit status 1 if there is one.

Usage: tests/tidy/tidy.py [--compile-commands FILE]
With FILE (ctest passes it) every public header is also compiled alone, with the library's own flags.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Lowest first; those in one group do not see each other.
LAYERS = [["base"], ["io"], ["expr"], ["parquet"], ["iceberg"], ["prune"], ["scan"],
          ["layout", "sql", "external"], ["cli", "server", "python"]]
RANK = {layer: rank for rank, group in enumerate(LAYERS) for layer in group}

LINES_MAX, COLUMNS_MAX, FUNCTION_LINES_MAX = 600, 120, 90
CPP = {".cc", ".h"}
# Kept word for word, whatever is in them: data of tests, and text that is not ours.
VERBATIM = re.compile(r"^(LICENSE$|cmake/licenses/|tests/(golden|goldens|data)/|tests/fuzz/corpus/"
                      r"|.*\.(parquet|avro|bin)$)")
NO_COMMENTS = {".json", ".md", ".csv", ".tsv"}  # formats without a place for a licence line
FORBIDDEN_STEMS = {"utils", "util", "helpers", "helper", "common", "misc"}
# Spelled in pieces, so that this file passes its own check.
MARKERS = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")
FORBIDDEN_TEXT = re.compile("|".join([
    r"(?<![\w.-])/(work|root)/",
    *(re.escape(".".join(host)) for host in [
        ("pypi", "org"), ("pythonhosted", "org"), ("registry", "npmjs", "org"), ("repo1", "maven", "org"),
        ("deb", "debian", "org"), ("crates", "io"), ("proxy", "golang", "org")])]))


class Text:
    """A tracked text file: its path under the root and its lines."""

    def __init__(self, path, content):
        self.path = path
        self.lines = content.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()

    @property
    def is_cpp(self):
        return Path(self.path).suffix in CPP


def tree():
    """Every file that is tracked or could be, binary ones left out."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, capture_output=True)
    if listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
    else:  # an unpacked archive
        names = (str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if not p.is_relative_to(ROOT / "build"))
    for name in sorted(filter(None, names)):
        path = ROOT / name
        if path.is_file() and b"\0" not in (content := path.read_bytes()):
            yield Text(name, content.decode("utf-8", "replace"))


def check_licence(text):
    suffix = Path(text.path).suffix
    if suffix not in NO_COMMENTS and not any("SPDX-License-Identifier: Apache-2.0" in line for line in text.lines[:2]):
        yield 1, "no SPDX-License-Identifier: Apache-2.0"


def check_size(text):
    if Path(text.path).suffix not in {".md", ".tsv", ".csv"} and len(text.lines) > LINES_MAX:
        yield LINES_MAX + 1, f"the file has {len(text.lines)} lines, more than {LINES_MAX}"
    if text.is_cpp:
        for number, line in enumerate(text.lines, 1):
            if len(line) > COLUMNS_MAX:
                yield number, f"the line has {len(line)} columns, more than {COLUMNS_MAX}"


def check_functions(text):
    """A function starts on a line `... (...) ... {` of a small indent and ends at the next `}` of the same indent."""
    if not text.is_cpp:
        return
    not_a_function = re.compile(r"\s*(namespace|class|struct|enum|union|extern|if|for|while|switch|do|else)\b")
    started = {}
    for number, line in enumerate(text.lines, 1):
        indent = len(line) - len(line.lstrip(" "))
        if indent not in (0, 2):
            continue
        if line.startswith("}", indent):
            start = started.pop(indent, None)
            if start and number - start + 1 > FUNCTION_LINES_MAX:
                yield start, f"the function has {number - start + 1} lines, more than {FUNCTION_LINES_MAX}"
        elif "(" in line and not not_a_function.match(line) and not line.split(" //")[0].rstrip().endswith((";", "}")):
            if not line.lstrip().startswith(("//", "#")):
                started[indent] = number


def check_words(text):
    for number, line in enumerate(text.lines, 1):
        if found := MARKERS.search(line):
            yield number, f"a marker of unfinished work: {found.group()}"
        if found := FORBIDDEN_TEXT.search(line):
            yield number, f"names a place outside the project: {found.group()}"


def check_name(text):
    stem = Path(text.path).name.split(".")[0].removesuffix("_test")
    if stem in FORBIDDEN_STEMS:
        yield 1, f"'{stem}' says nothing about the file's job"


def check_layers(text):
    """Includes go downwards: from a layer to itself and to lower ones."""
    place = Path(text.path).parts
    if not text.is_cpp or place[0] not in ("src", "include", "tests"):
        return
    layer = place[1] if place[0] == "src" and len(place) > 2 else None
    for number, line in enumerate(text.lines, 1):
        found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if not found:
            continue
        name = found.group(1)
        if not ((ROOT / name).is_file() or (ROOT / "include" / name).is_file()):
            yield number, f'"{name}" is neither frazil/... nor a path from the root of the project'
            continue
        parts = Path(name).parts
        if parts[0] == "tests" and place[0] != "tests":
            if not text.path.endswith("_test.cc"):
                yield number, f"code of the product includes {name}"
        elif parts[0] == "src":
            if place[0] == "include":
                yield number, f"a public header includes the internal {name}"
            elif layer and layer != parts[1]:
                if RANK.get(parts[1], 0) >= RANK.get(layer, len(LAYERS)):
                    yield number, f"layer {layer} may not include layer {parts[1]}"


CHECKS = [check_licence, check_size, check_functions, check_words, check_name, check_layers]


def mentioned_paths(name):
    """`src/io/{trace,coalesce}.h` and `src/prune/` as the paths that they stand for."""
    if brace := re.search(r"\{([^}]*)\}", name):
        for part in brace.group(1).split(","):
            yield from mentioned_paths(name[:brace.start()] + part.strip() + name[brace.end():])
    else:
        yield name


def check_document(text, sources):
    """Names in backticks that look like paths or C++ names exist."""
    words = None
    for number, line in enumerate(text.lines, 1):
        for quoted in re.findall(r"`([^`]+)`", line):
            looks_like_path = re.fullmatch(r"[\w.{},*/-]+", quoted) and (
                re.match(r"(src|include|tests|bench|scripts|cmake|docs|requirements|\.ci)/", quoted)
                or re.search(r"\.(h|cc|py|md|cmake|txt)$", quoted))
            if looks_like_path:
                for path in mentioned_paths(quoted):
                    if not any(next((ROOT / base).glob(path.rstrip("/")), None) for base in ("", "src", "include")):
                        yield number, f"`{path}` does not exist"
            elif re.fullmatch(r"(frazil::)?[A-Z][a-z]\w*(::\w+)*(\(\))?", quoted):
                if words is None:
                    words = {word for source in sources for word in re.findall(r"\w+", "\n".join(source.lines))}
                for word in re.findall(r"\w+", quoted):
                    if word not in words:
                        yield number, f"`{quoted}` is no name in the sources"


def check_format_coverage():
    """FORMAT_COVERAGE.md has a row for every struct and enumeration of the format, with all of its names in it."""
    page, names = "FORMAT_COVERAGE.md", "tests/tidy/parquet_thrift.txt"
    rows = {}
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        for struct in re.findall(r"`(\w+)`", line.split("|")[1]) if line.startswith("| `") else []:
            rows[struct] = number, set(re.findall(r"\w+", line))
    for line in (ROOT / names).read_text().splitlines():
        if line.startswith("#"):
            continue
        struct, members = line.split(":")
        if struct not in rows:
            yield f"{page}:1: no row for {struct}"
            continue
        number, words = rows[struct]
        for member in members.split():
            if member not in words:
                yield f"{page}:{number}: {struct} without {member}"


def check_public_headers(database):
    """Each compiles alone: it includes what it uses."""
    entries = json.loads(Path(database).read_text())
    entry = next(e for e in entries if "/src/base/" in e["file"])
    words = shlex.split(entry["command"])
    flags = [w for i, w in enumerate(words) if w.startswith(("-I", "-D", "-std=", "-W", "-fsanitize"))
             or w == "-isystem" or words[i - 1] == "-isystem"]
    compiler = next(w for w in words if re.search(r"(\+\+)[-\d.]*$", w))
    headers = sorted((ROOT / "include" / "frazil").glob("**/*.h"))

    def compile_alone(header):
        run = subprocess.run([compiler, *flags, "-Wno-pragma-once-outside-header", "-fsyntax-only", "-x", "c++", "-"],
                             input=f'#include "{header}"\n', capture_output=True, text=True)
        if run.returncode:
            what = next((line for line in run.stderr.splitlines() if "error" in line), "does not compile alone")
            return f"{header.relative_to(ROOT)}:1: does not compile alone: {what}"

    with ThreadPoolExecutor(2) as pool:
        return [finding for finding in pool.map(compile_alone, headers) if finding]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile-commands")
    arguments = parser.parse_args()

    texts = [text for text in tree() if not VERBATIM.match(text.path)]
    findings = [f"{text.path}:{number}: {what}" for text in texts for check in CHECKS for number, what in check(text)]
    sources = [text for text in texts if text.is_cpp]
    for text in texts:
        if text.path in ("ARCHITECTURE.md", "HACKING.md"):
            findings += [f"{text.path}:{number}: {what}" for number, what in check_document(text, sources)]
    findings += check_format_coverage()
    if arguments.compile_commands:
        findings += check_public_headers(arguments.compile_commands)
    for finding in findings:
        print(finding)
    print(f"tidy: {len(findings)} findings in {len(texts)} files")
    return 1 if findings else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
