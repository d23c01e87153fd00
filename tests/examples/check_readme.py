#!/usr/bin/env python3
"""Holds README.md to what it shows.

check_readme.py quotes SOURCE          every block after <!-- file: PATH --> is that file, to the letter
check_readme.py commands SOURCE BIN WORK   every line of a block after <!-- run --> runs and succeeds
"""
import pathlib
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^<!-- (file: (?P<file>\S+)|run) -->\n+```\w*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def check_quotes(source, readme):
    problems, count = [], 0
    for block in BLOCK.finditer(readme):
        if block["file"]:
            count += 1
            path = source / block["file"]
            if not path.is_file():
                problems.append(f"README.md quotes {block['file']}, which does not exist")
            elif path.read_text() != block["text"]:
                problems.append(f"README.md and {block['file']} differ")
    if readme.count("<!-- file:") != count:
        problems.append("README.md has a <!-- file: … --> line without a block after it")
    # Links to files of the repository.
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", readme):
        if not (source / target).exists():
            problems.append(f"README.md links to {target}, which does not exist")
    print(f"{count} quoted files")
    return problems if count else ["README.md quotes no file"]


def check_commands(source, readme, bin_dir, work):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for folder in ("examples", "configs"):
        (work / folder).symlink_to(source / folder)
    (work / "build").mkdir()
    (work / "build" / "openmp").mkdir()
    (work / "build" / "openmp" / "bin").symlink_to(bin_dir)
    problems, count = [], 0
    for block in BLOCK.finditer(readme):
        if block["file"]:
            continue
        for line in block["text"].splitlines():
            if not line or line.startswith("#"):
                continue
            count += 1
            done = subprocess.run(
                line, shell=True, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, check=False,
            )
            print(f"$ {line}\n{done.stdout}", end="")
            if "which this carroll was built without" in done.stdout:
                continue
            if done.returncode != 0:
                problems.append(f"exit status {done.returncode}: {line}")
    return problems if count else ["README.md has no block of commands to run"]


def main(arguments):
    action, source = arguments[0], pathlib.Path(arguments[1]).resolve()
    readme = (source / "README.md").read_text()
    if action == "quotes":
        problems = check_quotes(source, readme)
    else:
        problems = check_commands(source, readme, pathlib.Path(arguments[2]).resolve(), pathlib.Path(arguments[3]))
    if problems:
        sys.exit("\n".join(problems))


main(sys.argv[1:])
