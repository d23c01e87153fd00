#!/usr/bin/env python3
"""Runs two commands, separated by --, and fails unless both succeed and print the same."""
import subprocess
import sys


def output(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}: {' '.join(command)}")
    return done.stdout


split = sys.argv.index("--")
first, second = output(sys.argv[1:split]), output(sys.argv[split + 1 :])
print(first, second, sep="", end="")
if first != second:
    sys.exit("the two outputs differ")
