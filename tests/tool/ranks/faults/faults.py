# SPDX-License-Identifier: BSD-3-Clause
"""What may go wrong on a rank, drawn at random: what is written before a rank starts, what is done to
it while it works, and how the job may end then."""

import dataclasses
import os
import signal

NO_MEMORY = os.environ.get("CARROLL_NO_MEMORY", "")  # the library of no_memory.cpp
RIGHT, REFUSED, KILLED = "right", "refused", "killed"
LAUNCHER = "ranks ended, their launcher did not"
ENDED = "ended"  # by the system's loader or by MPI, in words of theirs


@dataclasses.dataclass
class Fault:
    name: str
    ends: tuple = (RIGHT, REFUSED)  # how the job may end
    victim: int = 0
    start: str = ""                 # lines of shell that the victim runs before the tool
    words: list = None              # the victim's command line, where it is another one
    files: dict = None              # what the victim finds in a directory of its own
    after: float = 0                # seconds from the victim's start to `strike`
    strike: object = None           # strike(directory, victim's process)


def none(draw, problem, ranks):
    return Fault("none", (RIGHT,))


def late(draw, problem, ranks):
    """Others wait for it; nothing is wrong."""
    return Fault("late", (RIGHT,), draw.randrange(ranks), "sleep %.2f" % draw.uniform(0, 1))


def killed(draw, problem, ranks):
    def strike(directory, process):
        os.kill(process, signal.SIGKILL)
    return Fault("killed", (RIGHT, KILLED, LAUNCHER), draw.randrange(ranks), after=moment(draw, problem), strike=strike)


def other_file(draw, problem, ranks):
    """One rank finds a file that is cut, that is another one, or none."""
    name = draw.choice(sorted(problem.files))
    whole, files = problem.files[name], dict(problem.files)
    how = draw.choice(("cut", "cut", "cut", "missing", "longer", "no header"))
    if how == "cut":
        files[name] = whole[:draw.randrange(len(whole))]
    elif how == "missing":
        del files[name]
    elif how == "longer":
        files[name] = whole + bytes(draw.randint(1, 100))
    else:
        files[name] = bytes(len(whole))
    return Fault("other_file", victim=draw.randrange(ranks), files=files)


def file_cut(draw, problem, ranks):
    """A file loses its end while ranks start and read."""
    name = draw.choice(sorted(problem.files))
    length = draw.randrange(len(problem.files[name]))

    def strike(directory, process):
        os.truncate(os.path.join(directory, name), length)
    return Fault("file_cut", victim=draw.randrange(ranks), after=moment(draw, problem), strike=strike)


def no_allocation(draw, problem, ranks):
    """One allocation fails on one rank."""
    bytes_, count = draw.choice(((1, 4000), (100, 500), (1000, 60), (10_000, 20)))
    return Fault("no_allocation", victim=draw.randrange(ranks), start=(
        "export LD_PRELOAD=%s CARROLL_FAULT_BYTES=%d CARROLL_FAULT_ALLOCATION=%d" %
        (NO_MEMORY, bytes_, draw.randrange(count))))


def little_memory(draw, problem, ranks):
    """One rank may have so much address space and no more: it may end in the loader, in MPI or in ours."""
    kilobytes = int(2 ** draw.uniform(17, 21))
    return Fault("little_memory", (RIGHT, REFUSED, ENDED), draw.randrange(ranks), "ulimit -v %d" % kilobytes)


def other_options(draw, problem, ranks):
    """One rank has another command line."""
    words = list(problem.words)
    how = draw.randrange(5)
    if how == 0:
        words.remove("--json")
    elif how == 1:
        words += ["--precision", draw.choice(("single", "double"))]
    elif how == 2:
        words[0] = draw.choice([c for c in ("sum", "norm", "det", "svd") if c != words[0]])
    elif how == 3:
        words += ["--no-such-option"]
    else:
        words[1] = "no_such_file.npy"
    return Fault("other_options", (REFUSED,), draw.randrange(ranks), words=words)


def moment(draw, problem):
    """Mostly while it works, sometimes while MPI starts."""
    return draw.uniform(0, 0.3) if draw.random() < 0.3 else draw.uniform(0.1, 0.3 + problem.seconds)


def drawn(draw, problem, ranks):
    kinds = [none, none, late, killed, killed, killed, other_file, other_file, file_cut, other_options, little_memory]
    kinds += [no_allocation] * 3 if NO_MEMORY else []
    # The library's options are hostile_ranks' matter.
    if not problem.files:
        kinds = [kind for kind in kinds if kind not in (other_file, file_cut, other_options)]
    elif ranks == 1:
        kinds.remove(other_options)
    return draw.choice(kinds)(draw, problem, ranks)
