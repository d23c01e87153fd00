#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does every link between pages of this repository lead somewhere: to a file that is there, and to a heading of it?

    check_links.py ROOT
"""

import re
import sys
import urllib.parse
from pathlib import Path

LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def anchors_of(text):
    """Of headings, as GitHub makes them: small letters and digits, a hyphen for a blank, a number behind a repeated one."""
    found = {}
    for heading in HEADING.findall(CODE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = found[anchor] = found.get(anchor, -1) + 1
        if count:
            found[f"{anchor}-{count}"] = 0
    return set(found)


def complaints(root):
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    for page in sorted(pages):
        text = CODE.sub("", page.read_text(encoding="utf-8"))
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = page.parent / urllib.parse.unquote(name) if name else page
            if not path.exists():
                yield f"{page.relative_to(root)}: {target}: is not there"
            elif anchor and path.suffix == ".md" and anchor not in anchors_of(path.read_text(encoding="utf-8")):
                yield f"{page.relative_to(root)}: {target}: has no such heading"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_links.py ROOT")
    root = Path(sys.argv[1])
    if not (root / "README.md").is_file():
        sys.exit(f"{root} has no README.md")
    found = list(complaints(root))
    for complaint in found:
        print(complaint)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
