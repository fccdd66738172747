#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what the documentation shows, and checks that its reference pages leave nothing out.

Usage: tests/docs/run.py [--update] BUILD_FOLDER [DOCUMENT ...]      (default: README.md and docs/**/*.md)

Commands. In a ```console block, lines that begin with `$ ` are commands (`> ` continues one), the lines after each are
what it prints, on both streams. The blocks of a document run in order, in one shell, in a folder that looks like a
built clone; the first block of docs/tutorial.md is run before every other page under docs, as its set-up. A line `...` stands for
any lines, `...` inside a line for any text; times (two decimals at the end of a line, elapsed_ns) may differ.
--update writes down what the commands print today: read the diff.

Code. `<!-- part of: PATH -->` in front of a block says that the file PATH holds just these lines.

Reference. Every flag of the command line, every exit code, every key of the JSON reports and every reason for unused
evidence is named on its page, numbers are those of the code, and every link leads somewhere.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
MARK = "\x01done"
AFTER = f"status=$?; echo '{MARK}'; (exit $status)"  # the next command may ask for $?
TIMES = [(re.compile(r" +\d+\.\d\d$", re.M), " TIME"), (re.compile(r'("elapsed_ns": ?)\d+'), r"\1TIME")]


# Numbers that pages name, and where the code has them.
NUMBERS = [
    ("docs/reference/filters.md", "at most 16 MiB long", "src/expr/parse.h", "kFilterBytesMax = 16 << 20"),
    ("docs/reference/filters.md", "nested at most 500 deep", "src/expr/parse.h", "kFilterDepthMax = 500"),
    ("docs/reference/filters.md", "at most 1,048,576 literals and tests", "src/expr/parse.h", "kFilterItemsMax = 1 << 20"),
    ("docs/reference/report.md", "the first 100", "include/frazil/report.h", "kRowGroupsMax = 100"),
    ("docs/reference/report.md", "`version` is 1", "src/cli/report_json.cc", 'Field("version", 1)'),
    ("docs/how-to/export-exact-values.md", "20 rows", "src/cli/format/writer.h", "table_rows_max = 20"),
]


class Command:
    """One command of a document: its text, what is shown below it, and the lines of the document that show it."""

    def __init__(self, text, first_line):
        self.text, self.shown, self.first_line = text, [], first_line


def blocks(path, language):
    """(line number of its first line, lines, line in front of the fence) of every fenced block of a language."""
    lines = path.read_text().splitlines()
    start = None
    for number, line in enumerate(lines):
        if start is None and line.startswith("```"):
            start, wanted = number, line[3:].strip() == language
        elif start is not None and line.startswith("```"):
            if wanted:
                yield start + 1, lines[start + 1:number], lines[start - 1] if start else ""
            start = None


def commands_of(path):
    commands = []
    for first_line, lines, _ in blocks(path, "console"):
        for number, line in enumerate(lines, first_line):
            if line.startswith("$ "):
                commands.append(Command(line[2:], number + 1))
            elif line.startswith("> ") and not commands[-1].shown:
                commands[-1].text += "\n" + line[2:]
                commands[-1].first_line = number + 1
            else:
                commands[-1].shown.append(line)
    return commands


def run_all(commands, folder):
    """What each command prints, with both streams in one."""
    script = Path(folder) / ".script"
    script.write_text("".join(f"{command.text}\n{AFTER}\n" for command in commands))
    # How this machine reaches stores is not part of the documentation.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment = {**kept, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "AWS_CONFIG_FILE": os.devnull,
                   "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    done = subprocess.run(["bash", script], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    outputs = done.stdout.split(MARK + "\n")
    if len(outputs) != len(commands) + 1:
        sys.exit(f"docs: the shell ended early, after: {done.stdout[-2000:]}")
    return outputs[:-1]


def without_times(text):
    for pattern, replacement in TIMES:
        text = pattern.sub(replacement, text)
    return text


def matches(shown, printed):
    pattern = ""
    for line in without_times("\n".join(shown)).split("\n"):
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r"[^\n]*?".join(map(re.escape, line.split("..."))) + r"\n"
    if not shown:
        pattern = ""
    return re.fullmatch(pattern, without_times(printed)) is not None


def make_clone(folder, build):
    """What the documents' commands find: the tree's own folders, and the build."""
    for name in ("docs", "scripts", "bench", "tests"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build" / "deps").mkdir(parents=True)
    (folder / "build" / "bin").symlink_to(build / "bin")
    (folder / "build" / "deps" / "venv").symlink_to(os.environ.get("FRAZIL_VENV", ROOT / "build" / "deps" / "venv"))


def check_commands(path, build, update):
    commands = commands_of(path)
    if not commands:
        return []
    setup = commands_of_first_block() if path != TUTORIAL and path.is_relative_to(ROOT / "docs") else []
    with tempfile.TemporaryDirectory() as scratch:
        make_clone(Path(scratch), build)
        printed = run_all(setup + commands, scratch)[len(setup):]
    findings = []
    lines = path.read_text().splitlines()
    for command, output in reversed(list(zip(commands, printed))):
        if matches(command.shown, output):
            continue
        if update:
            lines[command.first_line:command.first_line + len(command.shown)] = output.splitlines()
        else:
            findings.append(f"{path.relative_to(ROOT)}:{command.first_line}: {command.text}\n"
                            + "\n".join("  shown   | " + line for line in command.shown) + "\n"
                            + "\n".join("  printed | " + line for line in output.splitlines()))
    if update:
        path.write_text("\n".join(lines) + "\n")
    return findings[::-1]


def commands_of_first_block():
    first_line, lines, _ = next(blocks(TUTORIAL, "console"))
    return [command for command in commands_of(TUTORIAL) if command.first_line <= first_line + len(lines)]


def check_code(path):
    for language in ("cpp", "cmake", "python"):
        for number, lines, before in blocks(path, language):
            found = re.fullmatch(r"<!-- part of: (\S+) -->", before)
            if found and "\n".join(lines) not in (ROOT / found.group(1)).read_text():
                yield f"{path.relative_to(ROOT)}:{number}: not what {found.group(1)} holds"


def check_links(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", line):
            if not re.match(r"[a-z]+:", target) and not (path.parent / target).exists():
                yield f"{path.relative_to(ROOT)}:{number}: the link {target} leads nowhere"


def missing(page, names):
    text = (ROOT / page).read_text()
    return [f"{page}:1: does not name {name}" for name in sorted(names) if name not in text]


def keys_of(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def reasons_in_sources():
    """The fixed part of every text that can stand behind "not used:"."""
    patterns = {
        "src/scan/row_group_plan.cc": [r'unusable_\.Add\(path, "([^"]+)"'],
        "src/prune/row_group.cc": [r'unusable->Add\(column\.path, "([^"]+)"'],
        "src/parquet/statistics.cc": [r'Note\(unusable, "([^"]+)"', r'reason = "([^"]+)"',
                                      r'contradiction = (?:[^;"]*\? )?"([^"]+)"', r'contradiction = [^;]*: "([^"]+)"'],
        "src/parquet/page_index.cc": [r'Corrupt\("([^"]+)"\)', r'CorruptPage\(\w+, "([^"]+)"',
                                      r'CorruptPage\(i, i == 0 \? "([^"]+)"', r'CorruptPage\(i, [^"]*"[^"]+" : "([^"]+)"'],
    }
    for name, expressions in patterns.items():
        source = (ROOT / name).read_text()
        for expression in expressions:
            found = re.findall(expression, source)
            if not found:
                sys.exit(f"docs: {expression} finds nothing in {name} any more; see tests/docs/run.py")
            yield from found


def check_numbers():
    for page, words, source, code in NUMBERS:
        for name, text in ((page, words), (source, code)):
            if text not in (ROOT / name).read_text():
                yield f"{name}:1: no longer has '{text}', which goes with NUMBERS in tests/docs/run.py"
    kinds = re.findall(r"^  k(\w+) = (\d+),", (ROOT / "include" / "frazil" / "error.h").read_text(), re.M)
    words = lambda kind: re.sub("(?<!^)([A-Z])", r" \1", kind).lower()  # kNotFound is "not found"
    rows = {f"| {number} | {words(kind)} |" for kind, number in kinds}
    yield from missing("docs/reference/command-line.md", rows)


def check_reference(build):
    binary = build / "bin" / "frazil"
    read = lambda *words: subprocess.run([binary, *words], check=True, capture_output=True, text=True).stdout
    flags = set()
    for command in ("scan", "count", "explain", "verify", "inspect"):
        flags |= {f"`{flag}" for flag in re.findall(r"(?<!\S)(--[\w-]+)", read(command, "--help"))}
    findings = missing("docs/reference/command-line.md", flags)
    with tempfile.TemporaryDirectory() as scratch:
        make_clone(Path(scratch), build)
        subprocess.run(["build/deps/venv/bin/python", "docs/example/orders.py", "."], cwd=scratch, check=True)
        report = json.loads(subprocess.run(
            [binary, "explain", "orders_plain.parquet", "--where", "order_id = 500001", "--analyze", "--format", "json"],
            cwd=scratch, check=True, capture_output=True, text=True).stdout)
    findings += missing("docs/reference/report.md", {f"`{key}`" for key in keys_of(report)})
    return findings + missing("docs/reference/evidence.md", set(reasons_in_sources()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("build", type=Path)
    parser.add_argument("documents", nargs="*", type=Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    documents = [path.resolve() for path in arguments.documents]
    findings = []
    for path in documents or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        findings += [*check_commands(path, build, arguments.update), *check_code(path), *check_links(path)]
    if not documents:
        findings += [*check_reference(build), *check_numbers()]
    for finding in findings:
        print(finding)
    print(f"docs: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
