# SPDX-License-Identifier: BSD-3-Clause
"""Random runs of the tool under mpirun, by 1 to 8 ranks, one of which something goes wrong with: a
right result, or one line and status 2; where it was killed, an end. Nothing hangs, and no rank is left.

    test_rank_faults.py [--runs 20] [--seed 1] [--first 0] [--jobs 1] [--limit SECONDS]

Run N of a seed is always the same, but for the moment at which it is struck: --first N --runs 1.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import faults
import problems

MPIEXEC = os.environ.get("CARROLL_MPIEXEC", "")
OPEN_MPI = bool(MPIEXEC) and b"Open" in subprocess.run([MPIEXEC, "--version"], capture_output=True).stdout


LAUNCHER_HANGS = object()


class Wrong(Exception):
    """What a run did that it must not."""


class Run:

    def __init__(self, seed, number, limit):
        self.draw = random.Random("%d/%d" % (seed, number))
        self.limit = limit
        self.ranks = self.draw.randint(1, 8)
        self.problem = problems.drawn(self.draw)
        self.fault = faults.drawn(self.draw, self.problem, self.ranks)
        self.mark = "%d-%d-%d" % (os.getpid(), seed, number)
        self.name = "%s %s on %d rank(s), %s" % (
            os.path.basename(self.problem.program), " ".join(self.problem.words), self.ranks, self.fault.name)

    def __call__(self):
        """How it ended: one of the fault's ends."""
        with tempfile.TemporaryDirectory(prefix="carroll-faults-") as home:
            alone, self.here = os.path.join(home, "alone"), os.path.join(home, "ranks")
            self.write(alone, self.problem.files)
            plain = subprocess.run([self.problem.program, *self.problem.words], cwd=alone, capture_output=True, timeout=self.limit)
            if plain.stderr or plain.returncode not in (0, 1):
                raise Wrong("without ranks: %d, %r" % (plain.returncode, plain.stderr))
            self.write(self.here, self.problem.files)
            if self.fault.files is not None:
                self.write(os.path.join(self.here, "other"), self.fault.files)
            status, out, error = self.start()
            how = self.judge(plain, self.outputs(alone), status, out, error)
            if how not in self.fault.ends:
                raise Wrong("ended %s: status %d, %r, %r" % (how, status, out[-300:], error[-600:]))
            return how

    @staticmethod
    def write(directory, files):
        os.makedirs(directory)
        for name, content in files.items():
            with open(os.path.join(directory, name), "wb") as file:
                file.write(content)

    def outputs(self, directory):
        found = {}
        for name in os.listdir(directory):
            if name not in self.problem.files and not os.path.isdir(os.path.join(directory, name)):
                with open(os.path.join(directory, name), "rb") as file:
                    found[name] = file.read()
        return found

    def start(self):
        """(status, standard output, standard error) of the job, which has left no process behind."""
        fault, here = self.fault, self.here
        script = ["#!/bin/sh", "rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}", "set -- %s" % quoted(self.problem.words),
                  "if [ $rank = %d ]; then" % fault.victim, "echo $$ >%s/../process.new" % quoted([here]),
                  "mv %s/../process.new %s/../process" % (quoted([here]), quoted([here]))]
        if fault.words is not None:
            script.append("set -- " + quoted(fault.words))
        if fault.files is not None:
            script.append("cd other")
        script += [fault.start, "fi", "exec %s \"$@\"" % quoted([self.problem.program])]
        path = os.path.join(here, "..", "start")
        with open(path, "w") as file:
            file.write("\n".join(line for line in script if line) + "\n")
        os.chmod(path, 0o755)
        # What mpirun itself says of a job that has failed is not the tool's: -q.
        quiet = ["-q"] if OPEN_MPI else []
        job = subprocess.Popen([MPIEXEC, *quiet, "-n", str(self.ranks), path], cwd=here, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**os.environ, "CARROLL_FAULT_RUN": self.mark})
        try:
            if fault.strike:
                self.strike(job)
            out, error = self.end(job)
            deadline = time.monotonic() + 10
            while self.left():
                if time.monotonic() > deadline:
                    raise Wrong("the job has ended, processes of ranks are left")
                time.sleep(0.05)
        finally:
            for process in self.left():
                kill(process)
            job.communicate()
        # mpirun's own event loop, at its end.
        error = b"".join(line for line in error.splitlines(True) if not line.startswith(b"[warn] Epoll "))
        return job.returncode, out, error

    def end(self, job):
        """What the job has written when it ends; or where of its processes the launcher alone is left, which Open
        MPI 4.1 does where a rank dies while it starts."""
        deadline, alone_since = time.monotonic() + self.limit, None
        while True:
            try:
                return job.communicate(timeout=1)
            except subprocess.TimeoutExpired:
                now, left = time.monotonic(), self.left()
            alone_since = (alone_since or now) if left == [job.pid] else None
            if alone_since and now - alone_since > 15 and faults.KILLED in self.fault.ends:
                job.kill()
                out, error = job.communicate()
                job.returncode = LAUNCHER_HANGS
                return out, error
            if now > deadline:
                raise Wrong("hangs: no end after %d s, processes %s" % (self.limit, left))

    def strike(self, job):
        path = os.path.join(self.here, "..", "process")
        deadline = time.monotonic() + self.limit
        while not os.path.exists(path) and job.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(self.fault.after)
        try:
            with open(path) as file:
                self.fault.strike(self.here, int(file.read()))
        except (OSError, ValueError):
            pass  # it has ended before

    def left(self):
        """Processes of this run that are there."""
        mark, found = b"CARROLL_FAULT_RUN=" + self.mark.encode(), []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open("/proc/%s/environ" % entry, "rb") as file:
                        if mark in file.read().split(b"\0"):
                            found.append(int(entry))
                except OSError:
                    pass
        return found

    def judge(self, plain, expected, status, out, error):
        found = self.outputs(self.here)
        if status == plain.returncode and not error and same_report(out, plain.stdout):
            if found != expected:
                raise Wrong("the report is right, the files are not: %s for %s" % (sorted(found), sorted(expected)))
            return faults.RIGHT
        if faults.KILLED in self.fault.ends:
            # Of its output there is nothing or all; a first rank that was killed may leave temporaries.
            for name, content in found.items():
                if not name.endswith(".tmp") and content != expected.get(name):
                    raise Wrong("killed, and left %s, which is not right" % name)
            begins = same_report(out, plain.stdout) or plain.stdout.startswith(out)
            if status == LAUNCHER_HANGS and begins:
                return faults.LAUNCHER
            if status != 0 and begins and not re.search(b"(carroll|digest):", error):
                return faults.KILLED
            return "with status %d" % status
        if found:
            raise Wrong("failed with status %d, and left %s" % (status, sorted(found)))
        if status == 2 and not out and re.fullmatch(rb"(carroll|digest): [^\n]+\n", error):
            return faults.REFUSED
        if status != 0 and not out:
            return faults.ENDED
        return "with status %d" % status


def quoted(words):
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def kill(process):
    try:
        os.kill(process, 9)
    except ProcessLookupError:
        pass


def same_report(out, plain):
    """But for what ranks differ in: how they shared the work, its time, gemv's kernel."""
    if not plain.startswith(b"{"):
        return out == plain
    def without(text):
        report = json.loads(text)
        for key in ("ranks", "engine", "seconds", "kernel"):
            report.pop(key, None)
        return json.dumps(report)
    try:
        return out.count(b"\n") == 1 and without(out) == without(plain)
    except ValueError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    for name, value in (("runs", 20), ("seed", 1), ("first", 0), ("jobs", 1), ("limit", 120)):
        parser.add_argument("--" + name, type=int, default=value)
    wishes = parser.parse_args()
    if not MPIEXEC:
        print("nothing but skipped tests")
        return 0
    counts, wrong = collections.Counter(), 0

    def play(number):
        run = Run(wishes.seed, number, wishes.limit)
        try:
            return run, run(), None
        except (Wrong, subprocess.TimeoutExpired) as what:
            return run, None, "--seed %d --first %d --runs 1: %s: %s" % (wishes.seed, number, run.name, what)

    with concurrent.futures.ThreadPoolExecutor(wishes.jobs) as pool:
        for run, how, complaint in pool.map(play, range(wishes.first, wishes.first + wishes.runs)):
            counts[run.fault.name, how or "WRONG"] += 1
            if complaint:
                wrong += 1
                print(complaint, flush=True)
    for (fault, how), count in sorted(counts.items()):
        print("%-14s %-8s %d" % (fault, how, count))
    print("%d runs, %d wrong; seed %d" % (wishes.runs, wrong, wishes.seed))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
