#!/usr/bin/env python3
"""Runs the compiler on one case of misuse, as the build would, and looks at what it says.

compile_case.py BUILD TARGET [PATTERN]   the target of that build has one source file: it compiles, or, with a pattern,
                                         is rejected with a message that the regular expression matches
"""
import json
import pathlib
import re
import subprocess
import sys


def main(build, target, pattern=None):
    folder = f"CMakeFiles/{target}.dir/"
    commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    (entry,) = [entry for entry in commands if folder in entry["command"]]
    done = subprocess.run(
        entry["command"], shell=True, cwd=entry["directory"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    print(done.stdout, end="")
    if pattern is None:
        return 0 if done.returncode == 0 else f"{target} does not compile"
    if done.returncode == 0:
        return f"{target} compiles"
    return 0 if re.search(pattern, done.stdout) else f"{target} is not rejected with '{pattern}'"


sys.exit(main(*sys.argv[1:]))
