#!/usr/bin/env python3
"""Holds README.md and the pages in docs to what they show.

check_readme.py quotes SOURCE          every block after <!-- file: PATH --> is that file, to the letter; links lead somewhere
check_readme.py commands SOURCE BIN WORK   every line of a block after <!-- run --> runs and succeeds
"""
import pathlib
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^<!-- (file: (?P<file>\S+)|run) -->\n+```\w*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def check_quotes(source):
    problems, count = [], 0
    pages = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").rglob("*.md"))]
    for page in pages:
        name, text = page.relative_to(source), page.read_text()
        quotes = [block for block in BLOCK.finditer(text) if block["file"]]
        count += len(quotes)
        for block in quotes:
            path = source / block["file"]
            if not path.is_file():
                problems.append(f"{name} quotes {block['file']}, which does not exist")
            elif path.read_text() != block["text"]:
                problems.append(f"{name} and {block['file']} differ")
        if text.count("<!-- file:") != len(quotes):
            problems.append(f"{name} has a <!-- file: … --> line without a block after it")
        # Links to files of the repository.
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", text):
            if not (page.parent / target).exists():
                problems.append(f"{name} links to {target}, which does not exist")
    print(f"{count} quoted files in {len(pages)} pages")
    return problems if count else ["no page quotes a file"]


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
            # The commands that need libpng say so, as unusable arguments, where there was none.
            without = done.returncode == 2 and done.stdout.rstrip().endswith("which this carroll was built without")
            if without and re.search(r"carroll (track|synth-sequence) ", line):
                continue
            if done.returncode != 0:
                problems.append(f"exit status {done.returncode}: {line}")
    return problems if count else ["README.md has no block of commands to run"]


def main(arguments):
    action, source = arguments[0], pathlib.Path(arguments[1]).resolve()
    if action == "quotes":
        problems = check_quotes(source)
    else:
        readme = (source / "README.md").read_text()
        problems = check_commands(source, readme, pathlib.Path(arguments[2]).resolve(), pathlib.Path(arguments[3]))
    if problems:
        sys.exit("\n".join(problems))


main(sys.argv[1:])
