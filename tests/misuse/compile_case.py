#!/usr/bin/env python3
"""Runs the compiler on cases of misuse, as the build would, and looks at what it says.

compile_case.py BUILD TARGET                the target of that build has one source file: it compiles
compile_case.py BUILD TARGET CASES WORK     so it does; but with every case of the file CASES at once, a line
                                            CASE|PATTERN each, each case is rejected by a static_assert whose message
                                            the regular expression matches. WORK: a file to be compiled for that
"""
import json
import pathlib
import re
import subprocess
import sys


def compiled(build, target, work=None):
    """The source file of a target, and what the compiler answers: its exit status and its words."""
    folder = f"CMakeFiles/{target}.dir/"
    commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    (entry,) = [entry for entry in commands if folder in entry["command"]]
    source = pathlib.Path(entry["directory"]) / entry["file"]
    command = entry["command"]
    if work:
        head, _, tail = command.rpartition(entry["file"])
        command = f"{head}{work}{tail}"
    done = subprocess.run(
        command, shell=True, cwd=entry["directory"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    return source, done.returncode, done.stdout


def all_at_once(source, cases):
    """The source file once for each case, in a namespace of its own."""
    text = source.read_text()
    lines = [line for line in text.splitlines() if line.startswith("#include")]
    for case in cases:
        lines += [f"#define CARROLL_CASE_{case}", f"namespace case_{case} {{", f'#include "{source}"', "}",
                  f"#undef CARROLL_CASE_{case}"]
    return "\n".join(lines) + "\n"


def place_of(case, text):
    """First and last line of a case in the source file."""
    lines = text.splitlines()
    (first,) = [i for i, line in enumerate(lines, 1) if f"(CARROLL_CASE_{case})" in line]
    last = next(i for i, line in enumerate(lines[first:], first) if line.startswith(("#el", "#endif")))
    return first, last


def rejections(source, said):
    """(line of the source file, message) of every static_assert that failed."""
    place = re.compile(re.escape(source.name) + r":(\d+)(?::\d+)?:")
    line = None
    for words in said.splitlines():
        if "static assertion failed" in words or "static_assert failed" in words:
            yield line, words
        elif found := place.search(words):
            line = int(found[1])


def main(build, target, cases_file=None, work=None):
    source, status, said = compiled(build, target)
    if status != 0:
        print(said, end="")
        return f"{target}: {source.name} does not compile without a case"
    if not cases_file:
        return 0
    cases = [line.split("|", 1) for line in pathlib.Path(cases_file).read_text().splitlines()]
    pathlib.Path(work).write_text(all_at_once(source, [case for case, _ in cases]))
    _, status, said = compiled(build, target, work)
    found = list(rejections(source, said))
    missing = []
    for case, pattern in cases:
        first, last = place_of(case, source.read_text())
        if not any(line and first <= line <= last and re.search(pattern, words) for line, words in found):
            missing.append(f"{case} is not rejected with '{pattern}'")
    if missing:
        print(said, end="")
    print(f"{len(cases)} cases of {target}, {len(found)} static_asserts")
    return "; ".join(missing) if missing else 0


sys.exit(main(*sys.argv[1:]))
