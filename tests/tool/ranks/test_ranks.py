# SPDX-License-Identifier: BSD-3-Clause
"""The tool under mpirun: the same output, files and exit status as without, told once; what fails on
any rank is one line and status 2; a rank that is killed ends all."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import time

ABOVE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ABOVE, os.path.join(ABOVE, "blas")]

from blas import npy_vector  # noqa: E402
from tool import DATA, TOOL, ToolTest, main, npy_batch, npy_bytes, npy_matrix  # noqa: E402

MPIEXEC = os.environ.get("CARROLL_MPIEXEC", "")
OPEN_MPI = bool(MPIEXEC) and b"Open" in subprocess.run([MPIEXEC, "--version"], capture_output=True).stdout
RANKS = (1, 2, 3, 5)


def launcher(ranks):
    # What mpirun itself says of a job that has failed is not the tool's: -q.
    return [MPIEXEC, *(["-q"] if OPEN_MPI else []), "-n", str(ranks)]


def without_times(text):
    report = json.loads(text)
    ranks = report.pop("ranks", 1), report.pop("engine", None)
    report.pop("seconds")
    return report, ranks


class RanksTest(ToolTest):

    def setUp(self):
        super().setUp()
        if not MPIEXEC:
            self.skipTest("a build without MPI")
        self.random = random.Random(7)

    def numbers(self, count):
        return [self.random.gauss(0, 1) * 2.0 ** self.random.randint(-30, 30) for _ in range(count)]

    def matrix(self, rows, cols):
        return [self.numbers(cols) for _ in range(rows)]

    def launch(self, ranks, *arguments, **keywords):
        keywords.setdefault("stdout", subprocess.PIPE)
        keywords.setdefault("stderr", subprocess.PIPE)
        keywords.setdefault("cwd", self.home)
        keywords.setdefault("timeout", 240)
        return subprocess.run([*launcher(ranks), TOOL, *arguments], **keywords)

    def same(self, *arguments, engine=None, status=0, outputs=(), ranks=RANKS):
        """The same JSON and the same files with any number of ranks; how two of them share it."""
        alone = self.run_tool(*arguments, "--json", *(["-o", "alone"] if outputs else []))
        self.assertEqual((alone.returncode, alone.stderr), (status, b""))
        expected, _ = without_times(alone.stdout)
        expected.pop("kernel", None)
        for p in ranks:
            with self.subTest(arguments=arguments, ranks=p):
                process = self.launch(p, *arguments, "--json", *(["-o", "ranks"] if outputs else []))
                self.assertEqual((process.returncode, process.stderr), (status, b""))
                self.assertEqual(process.stdout.count(b"\n"), 1)
                report, told = without_times(process.stdout)
                report.pop("kernel", None)  # each rank has its own
                self.assertEqual(json.dumps(report), json.dumps(expected))
                self.assertEqual(told, (p, engine) if p > 1 else (1, None))
                for name in outputs:
                    with open(self.path("alone" + name), "rb") as a, \
                            open(self.path("ranks" + name), "rb") as b:
                        self.assertEqual(a.read(), b.read())
                    os.remove(self.path("ranks" + name))

    def refuse_all(self, *arguments, says, ranks=(2, 5), keep=True):
        """One line on standard error and status 2, the same as without ranks."""
        alone = self.refuse(*arguments, says=says) if keep else None
        for p in ranks:
            with self.subTest(arguments=arguments, ranks=p):
                process = self.launch(p, *arguments)
                line = process.stderr.decode()
                self.assertEqual((process.returncode, process.stdout), (2, b""), line)
                self.assertRegex(line, r"\Acarroll: [^\n]+\n\Z")
                self.assertIn(says, line)
                if alone:
                    self.assertEqual(line, alone)

    # --- the same output

    def test_sums(self):
        self.write("x.npy", npy_vector(self.numbers(10_000)))
        self.write("y.npy", npy_vector(self.numbers(10_000)))
        self.write("f.npy", npy_vector(self.numbers(5000), "<f4"))
        self.write("z.npy", npy_vector([complex(a, b) for a, b in zip(self.numbers(3000), self.numbers(3000))],
                                       "<c16"))
        for kind in ("canonical", "exact"):
            self.same("sum", "x.npy", "--summation", kind, engine="entries")
        self.same("dot", "x.npy", "y.npy", "--summation", "compensated", engine="entries")
        for kind in ("2", "1", "max"):
            self.same("norm", "x.npy", "--kind", kind, engine="entries", ranks=(3,))
        self.same("sum", "f.npy", engine="entries", ranks=(2, 5))
        self.same("sum", "z.npy", engine="entries", ranks=(2, 5))
        self.same("dot", "z.npy", "z.npy", "--no-conjugate", engine="entries", ranks=(3,))
        self.same("dot", "x.npy", "y.npy", "--precision", "double", engine="entries", ranks=(2,))

    def test_matrices_in_either_order(self):
        A = self.matrix(60, 70)
        self.write("c.npy", npy_matrix(A))
        self.write("f.npy", npy_matrix(A, fortran=True))
        self.write("s.npy", npy_matrix(A, "<f4", fortran=True))
        for pair in (("c.npy", "f.npy"), ("f.npy", "c.npy"), ("f.npy", "f.npy"), ("s.npy", "c.npy")):
            self.same("dot", *pair, engine="entries", ranks=(2, 3))
        self.same("norm", "f.npy", engine="entries", ranks=(2, 3))

    def test_gemv(self):
        self.write("wide.npy", npy_matrix(self.matrix(7, 4000)))
        self.write("wide_f.npy", npy_matrix(self.matrix(7, 4000), fortran=True))
        self.write("tall.npy", npy_matrix(self.matrix(300, 20), "<f4", fortran=True))
        self.write("long.npy", npy_vector(self.numbers(4000)))
        self.write("seven.npy", npy_vector(self.numbers(7)))
        self.write("twenty.npy", npy_vector(self.numbers(20), "<f4"))
        self.write("rows.npy", npy_vector(self.numbers(300), "<f4"))
        for wide in ("wide.npy", "wide_f.npy"):
            self.same("gemv", wide, "long.npy", "--y", "seven.npy", "--beta", "0.5", engine="columns",
                      outputs=("_y.npy",), ranks=(2, 3))
            self.same("gemv", wide, "seven.npy", "--transpose", engine="columns",
                      outputs=("_y.npy",), ranks=(2, 3))
        self.same("gemv", "tall.npy", "twenty.npy", "--y", "rows.npy", "--alpha", "3", engine="rows",
                  outputs=("_y.npy",), ranks=RANKS)
        self.same("gemv", "tall.npy", "rows.npy", "--transpose", engine="columns",
                  outputs=("_y.npy",), ranks=(2, 5))

    def test_gemv_shares_long_sums(self):
        matrix = npy_bytes(b"".join(b"\0\0\0\0\0\0\xf0\x3f" for _ in range(6000 * 2)), shape="(6000, 2)")
        self.write("A.npy", matrix)
        self.write("x.npy", npy_vector(self.numbers(6000)))
        self.same("gemv", "A.npy", "x.npy", "--transpose", engine="rows", outputs=("_y.npy",),
                  ranks=(2, 5))

    def test_batches(self):
        batch = [self.matrix(6, 4) for _ in range(7)]
        square = [self.matrix(5, 5) for _ in range(4)]
        square[2] = [[0.0] * 5] * 5
        for name, order in (("c", False), ("f", True)):
            self.write(name + ".npy", npy_batch(batch, "<f4", order))
            self.same("svd", name + ".npy", engine="members", outputs=("_U.npy", "_S.npy", "_V.npy"))
            self.write(name + "_square.npy", npy_batch(square, fortran=order))
            self.same("det", name + "_square.npy", engine="members", status=1)
        self.same("svd", "c.npy", "--values-only", "--rank", "2", engine="members", outputs=("_S.npy",),
                  ranks=(3,))
        self.write("short.npy", npy_batch(batch)[:-1])
        self.refuse_all("svd", "short.npy", says="is truncated")
        self.refuse_all("det", "c.npy", says="needs square ones")
        self.refuse_all("det", "c_square.npy", "--certified", says="--certified expects a matrix")

    def test_rows_of_a_determinant(self):
        A = self.matrix(300, 300)
        self.write("c.npy", npy_matrix(A))
        self.write("f.npy", npy_matrix(A, "<f4", fortran=True))
        for name in ("c.npy", "f.npy"):
            self.same("det", name, engine="rows", ranks=(2, 3))
        self.same("det", "c.npy", "--method", "condensation", engine="one_rank", ranks=(2,))
        A[299] = A[7] = [0.0] * 300
        self.write("singular.npy", npy_matrix(A))
        self.same("det", "singular.npy", engine="rows", status=1, ranks=(3,))
        self.write("short.npy", npy_matrix(A)[:-1])
        self.refuse_all("det", "short.npy", says="is truncated", ranks=(3,))
        self.write("wide.npy", npy_matrix(A[1:]))
        self.refuse_all("det", "wide.npy", says="is 299 x 300, a determinant needs", ranks=(2,))

    def test_rows_of_a_tall_matrix(self):
        A = self.matrix(700, 40)  # three blocks of rows
        self.write("c.npy", npy_matrix(A))
        self.write("f.npy", npy_matrix(A, "<f4", fortran=True))
        for name in ("c.npy", "f.npy"):
            self.same("svd", name, "--method", "tall", engine="rows",
                      outputs=("_U.npy", "_S.npy", "_V.npy"), ranks=(2, 3))
        self.same("svd", "c.npy", "--method", "tall", "--values-only", "--rank", "3", "--energy", "0.9",
                  engine="rows", outputs=("_S.npy",), ranks=(5,))
        plain = json.loads(self.succeed("svd", "c.npy", "--json"))
        tall = json.loads(self.succeed("svd", "c.npy", "--json", "--method", "tall"))
        self.assertEqual(list(plain), list(tall))
        self.assertLess(tall["relative_residual"], 1e-14)
        for one, other in zip(plain["singular_values"], tall["singular_values"]):
            self.assertLess(abs(one - other), 1e-13 * plain["singular_values"][0])
        A[699][3] = math.nan
        self.write("nan.npy", npy_matrix(A))
        self.same("svd", "nan.npy", "--method", "tall", engine="rows", status=1, ranks=(2,))
        self.write("wide.npy", npy_matrix(A[:39]))
        self.refuse_all("svd", "wide.npy", "--method", "tall", says="at least as many rows", ranks=(2,))
        self.refuse_all("svd", "c.npy", "--method", "tall", "--tolerance", "0", says="has no meaning", ranks=(2,))
        self.write("batch.npy", npy_batch([A, A]))
        self.refuse_all("svd", "batch.npy", "--method", "tall", says="expects a matrix", ranks=(2,))

    def test_matrix_market(self):
        path = os.path.join(DATA, "longley.mtx")
        self.same("sum", path, engine="entries", ranks=(2, 3))
        self.write("x.npy", npy_vector([1.0] * 7))
        self.same("gemv", path, "x.npy", engine="rows", outputs=("_y.npy",), ranks=(2, 5))
        self.same("svd", path, "--method", "tall", engine="rows", outputs=("_U.npy",), ranks=(2,))

    def test_more_ranks_than_rows(self):
        self.write("a.npy", npy_matrix([[1.0, 2.0], [3.0, 4.0]]))
        self.write("x.npy", npy_vector([0.5, 0.25]))
        self.write("empty.npy", npy_vector([]))
        self.same("gemv", "a.npy", "x.npy", engine="rows", outputs=("_y.npy",), ranks=(5,))
        self.same("sum", "x.npy", engine="entries", ranks=(5,))
        self.same("sum", "empty.npy", engine="entries", ranks=(3,))

    def test_what_one_rank_does(self):
        self.write("a.npy", npy_matrix(self.matrix(12, 5)))
        self.write("b.npy", npy_matrix(self.matrix(6, 6)))
        self.same("svd", "a.npy", engine="one_rank", outputs=("_U.npy", "_S.npy", "_V.npy"), ranks=(3,))
        self.same("det", "b.npy", engine="one_rank", ranks=(3,))
        self.same("gemm", "b.npy", "b.npy", engine="one_rank", outputs=("_C.npy",), ranks=(2,))
        self.same("add", "b.npy", "b.npy", engine="one_rank", outputs=("_C.npy",), ranks=(2,))

    def test_tables_and_help(self):
        self.write("x.npy", npy_vector(self.numbers(3000)))
        alone = [line for line in self.succeed("sum", "x.npy").split("\n") if "seconds" not in line]
        process = self.launch(3, "sum", "x.npy")
        lines = process.stdout.decode().split("\n")
        self.assertIn("ranks              3, entries", lines)
        self.assertEqual([line for line in lines if "seconds" not in line and
                          not line.startswith("ranks ")], alone)
        for arguments in (["--help"], ["svd", "--help"], ["--version"], ["occupancy", "--list"]):
            process = self.launch(3, *arguments)
            self.assertEqual((process.returncode, process.stderr), (0, b""))
            self.assertEqual(process.stdout.decode(), self.succeed(*arguments))

    def test_status_of_the_numerics(self):
        values = self.numbers(5000)
        values[4000] = math.nan
        self.write("nan.npy", npy_vector(values))
        self.same("sum", "nan.npy", engine="entries", status=1, ranks=(2, 3))
        self.write("a.npy", npy_matrix([[math.nan, 1.0], [1.0, 1.0]]))
        self.same("det", "a.npy", engine="one_rank", status=1, ranks=(2,))

    def test_info(self):
        info = json.loads(self.launch(3, "info", "--json").stdout)
        self.assertEqual((info["ranks"], len(info["devices"])), (3, 3))
        self.assertTrue(info["mpi"])
        text = self.launch(2, "info").stdout.decode()
        self.assertIn("rank 1", text)
        self.assertIn(info["mpi"], text)

    # --- what fails

    def test_missing_file(self):
        self.refuse_all("sum", "missing.npy", says="missing.npy: No such file")
        self.refuse_all("svd", "missing.npy", says="missing.npy: No such file")
        self.write("x.npy", npy_vector([1.0]))
        self.refuse_all("dot", "x.npy", "missing.npy", says="missing.npy: No such file")

    def test_truncated_file(self):
        content = npy_vector(self.numbers(5000))
        self.write("x.npy", content[:-9])
        self.write("long.npy", content + b"\0")
        self.refuse_all("sum", "x.npy", says="is truncated")
        self.refuse_all("sum", "long.npy", says="1 byte more")
        self.write("a.npy", npy_matrix(self.matrix(30, 30))[:-1])
        self.write("y.npy", npy_vector(self.numbers(30)))
        self.refuse_all("gemv", "a.npy", "y.npy", says="is truncated")

    def test_an_entry_that_only_one_rank_reads(self):
        values = self.numbers(6000)
        values[5500] = 1e300
        self.write("x.npy", npy_vector(values))
        self.refuse_all("sum", "x.npy", "--precision", "single", says="in row 5501, column 1")

    def test_extents_and_options(self):
        self.write("a.npy", npy_matrix(self.matrix(3, 4)))
        self.write("x.npy", npy_vector(self.numbers(3)))
        self.refuse_all("gemv", "a.npy", "x.npy", says="must be a vector of 4")
        self.refuse_all("sum", "x.npy", "--summation", "fast", says="none of canonical")
        self.refuse_all("gemv", "a.npy", "x.npy", "--transpose", "-o", "no/such/prefix", says="no/such")
        self.refuse_all("nonsense", says="nonsense")
        self.refuse_all("sum", "x.npy", "--kokkos-nonsense", says="kokkos-nonsense")

    def test_different_options(self):
        self.write("x.npy", npy_vector(self.numbers(3)))
        two = [MPIEXEC, *(["-q"] if OPEN_MPI else []), "-n", "2", TOOL, "sum", "x.npy", ":",
               "-n", "1", TOOL, "sum", "x.npy", "--json"]
        process = subprocess.run(two, cwd=self.home, timeout=240, capture_output=True)
        self.assertEqual((process.returncode, process.stdout), (2, b""))
        self.assertRegex(process.stderr.decode(), r"\Acarroll: the command line: [^\n]+\n\Z")

    def test_a_file_that_is_another_one_for_a_rank(self):
        for place, count in (("one", 4000), ("two", 5000)):
            os.mkdir(self.path(place))
            self.write(os.path.join(place, "x.npy"), npy_vector(self.numbers(count)))
        script = self.write("start", "#!/bin/sh\ncase ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in 0) cd one ;; "
                                     "*) cd two ;; esac\nexec '%s' sum x.npy\n" % TOOL)
        os.chmod(self.path(script), 0o755)
        process = subprocess.run([*launcher(3), "./start"], cwd=self.home, timeout=240,
                                 capture_output=True)
        self.assertEqual((process.returncode, process.stdout), (2, b""))
        self.assertRegex(process.stderr.decode(), r"\Acarroll: x.npy: is not the same [^\n]+\n\Z")
        os.remove(self.path("two/x.npy"))
        process = subprocess.run([*launcher(3), "./start"], cwd=self.home, timeout=240,
                                 capture_output=True)
        self.assertEqual((process.returncode, process.stdout), (2, b""))
        self.assertRegex(process.stderr.decode(), r"\Acarroll: x.npy: No such file[^\n]*\n\Z")

    def test_pipe(self):
        """A pipe can be read once: the first rank does it."""
        os.mkfifo(self.path("pipe"))
        writer = subprocess.Popen(["sh", "-c", "cat x.npy >pipe"], cwd=self.home)
        self.write("x.npy", npy_vector([1.0, 2.0]))
        process = self.launch(3, "sum", "pipe", "--json")
        writer.wait(timeout=60)
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        self.assertEqual(json.loads(process.stdout)["value"], 3.0)

    # --- a rank that is killed

    def killed(self, ranks, victim, *arguments, after):
        """Starts the tool and kills one rank when `after()` says so: all end, and soon."""
        job = subprocess.Popen([*launcher(ranks), TOOL, *arguments], cwd=self.home,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            pid = None
            deadline = time.monotonic() + 60
            while pid is None or not after():
                self.assertLess(time.monotonic(), deadline)
                self.assertIsNone(job.poll(), "ended by itself")
                time.sleep(0.05)
                pid = pid or self.rank_of(job.pid, victim)
            os.kill(pid, signal.SIGKILL)
            job.communicate(timeout=60)
            self.assertNotEqual(job.returncode, 0)
        finally:
            job.kill()
            job.communicate()

    def rank_of(self, job, rank):
        """The process with that rank below the launcher."""
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or not self.is_below(int(entry), job):
                continue
            try:
                with open("/proc/%s/environ" % entry, "rb") as file:
                    words = file.read().split(b"\0")
                name = os.path.basename(os.readlink("/proc/%s/exe" % entry))
            except OSError:
                continue
            mine = {b"OMPI_COMM_WORLD_RANK=%d" % rank, b"PMI_RANK=%d" % rank}
            if name == os.path.basename(TOOL) and mine.intersection(words):
                return int(entry)
        return None

    def is_below(self, pid, ancestor):
        while pid > 1:
            if pid == ancestor:
                return True
            try:
                with open("/proc/%d/stat" % pid) as file:
                    pid = int(file.read().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                return False
        return False

    def test_killed_while_the_first_reads(self):
        os.mkfifo(self.path("pipe"))
        keeper = os.open(self.path("pipe"), os.O_RDWR)  # a writer that never writes
        self.addCleanup(os.close, keeper)
        start = time.monotonic()
        for victim in (0, 2):
            self.killed(3, victim, "sum", "pipe", after=lambda: time.monotonic() > start + 3)

    def test_killed_in_the_middle(self):
        start = time.monotonic()
        self.killed(2, 1, "scaling", "sum", "--ranks", "--repetitions", "100000", "--sizes", "1000000",
                    after=lambda: time.monotonic() > start + 3)


class LauncherTest(ToolTest):
    """How the tool finds out that it is one of several, whatever it was built with."""

    def started(self, **variables):
        self.write("x.npy", npy_vector([1.0, 2.0]))
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMPI_", "PMI", "SLURM_", "PMIX_"))}
        return self.run_tool("sum", "x.npy", "--json", env={**environment, **variables})

    def test_a_plain_call_needs_no_launcher(self):
        for variables in ({}, {"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"},
                          {"SLURM_NTASKS": "4", "SLURM_PROCID": "0"},
                          {"PMI_RANK": "x", "PMI_SIZE": "2"}):
            process = self.started(**variables)
            self.assertEqual((process.returncode, process.stderr), (0, b""))

    def test_the_first_of_ranks_that_cannot_meet_tells(self):
        variables = {"PMI_SIZE": "2", "OMPI_MCA_ess": "singleton", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                     "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        if MPIEXEC and not OPEN_MPI:
            self.skipTest("MPICH would wait for what these variables promise")
        first = self.started(PMI_RANK="0", **variables)
        self.assertEqual(first.returncode, 2)
        self.assertRegex(first.stderr.decode(), r"\Acarroll: [^\n]+\n\Z")
        second = self.started(PMI_RANK="1", **variables)
        self.assertEqual((second.returncode, second.stdout, second.stderr), (2, b"", b""))


if __name__ == "__main__":
    main()
