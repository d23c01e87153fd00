#!/usr/bin/env python3
"""Runs the compiler on cases of misuse, as the build would, and looks at what it says.

compile_case.py BUILD TARGET                the target of that build has one source file: it compiles
compile_case.py BUILD TARGET CASES WORK     so it does, once by itself and then once with each case of the file CASES,
                                            a line CASE|PATTERN each: nothing is wrong but in cases, and each is
                                            rejected by a static_assert whose message the regular expression matches.
                                            WORK: a file that is all of that, to be compiled once
"""
import json
import pathlib
import re
import subprocess
import sys


def command_of(build, target):
    """What compile_commands.json has of a target with one source file."""
    folder = f"CMakeFiles/{target}.dir/"
    commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    (entry,) = [entry for entry in commands if folder in entry["command"]]
    return entry


def source_of(build, target):
    entry = command_of(build, target)
    return pathlib.Path(entry["directory"]) / entry["file"]


def compiled(build, target, work=None):
    """What the compiler answers to a target's source file, or to `work` in its place: its exit status and its words."""
    entry = command_of(build, target)
    command = entry["command"]
    if work:
        head, _, tail = command.rpartition(entry["file"])
        command = f"{head}{work}{tail}"
    done = subprocess.run(
        command, shell=True, cwd=entry["directory"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    return done.returncode, done.stdout


def by_itself(build, target):
    """0 if the source file compiles, or a complaint."""
    status, said = compiled(build, target)
    if status == 0:
        return 0
    print(said, end="")
    return f"{target}: {source_of(build, target).name} does not compile without a case"


def all_at_once(source, cases):
    """The source file by itself and once for each case, each time in a namespace of its own."""
    text = source.read_text()
    lines = [line for line in text.splitlines() if line.startswith("#include")]
    lines += ["namespace without_a_case {", f'#include "{source}"', "}"]
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


def errors(source, said):
    """(line of the source file, message) of every error."""
    place = re.compile(re.escape(source.name) + r":(\d+)(?::\d+)?:")
    line = None
    for words in said.splitlines():
        if found := place.search(words):
            line = int(found[1])
        if "error: " in words:
            yield line, words


def main(build, target, cases_file=None, work=None):
    if not cases_file:
        return by_itself(build, target)
    cases = [line.split("|", 1) for line in pathlib.Path(cases_file).read_text().splitlines()]
    source = source_of(build, target)
    pathlib.Path(work).write_text(all_at_once(source, [case for case, _ in cases]))
    said = compiled(build, target, work)[1]
    found = list(errors(source, said))
    text = source.read_text()
    places = {case: place_of(case, text) for case, _ in cases}
    if not all(line and any(first <= line <= last for first, last in places.values()) for line, _ in found):
        if wrong := by_itself(build, target):
            return wrong
    missing = []
    for case, pattern in cases:
        first, last = places[case]
        if not any(line and first <= line <= last and re.search(pattern, words) for line, words in found):
            missing.append(f"{case} is not rejected with '{pattern}'")
    if missing:
        print(said, end="")
    print(f"{len(cases)} cases of {target}, {len(found)} errors")
    return "; ".join(missing) if missing else 0


sys.exit(main(*sys.argv[1:]))
