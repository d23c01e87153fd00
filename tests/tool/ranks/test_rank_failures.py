# SPDX-License-Identifier: BSD-3-Clause
"""The tool under mpirun: what fails on any rank is one line and status 2; a rank that is killed ends
all; and how the tool finds out that it is one of several."""

import json
import os
import signal
import subprocess
import time

from ranks import MPIEXEC, OPEN_MPI, RanksTest, launcher
from blas import npy_vector
from tool import TOOL, ToolTest, main, npy_matrix


class FailureTest(RanksTest):

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

    def killed(self, ranks, victim, *arguments, when):
        """Starts the tool and kills one rank when `when` says so of the first one's process: all end, and soon."""
        job = subprocess.Popen([*launcher(ranks), TOOL, *arguments], cwd=self.home,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            first = pid = None
            deadline = time.monotonic() + 60
            while first is None or pid is None or not when(first):
                self.assertLess(time.monotonic(), deadline)
                self.assertIsNone(job.poll(), "ended by itself")
                time.sleep(0.05)
                first = first or self.rank_of(job.pid, 0)
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

    def has_opened(self, pid, name):
        """Whether a process has that file open."""
        path = os.path.realpath(self.path(name))
        try:
            folder = "/proc/%d/fd/" % pid
            return any(os.readlink(folder + entry) == path for entry in os.listdir(folder))
        except OSError:
            return False

    def has_worked(self, pid, seconds):
        """Whether a process has used a processor for so long: ranks start within a tenth of a second of it."""
        try:
            with open("/proc/%d/stat" % pid) as file:
                user, system = file.read().rsplit(")", 1)[1].split()[11:13]
        except OSError:
            return False
        return int(user) + int(system) > seconds * os.sysconf("SC_CLK_TCK")

    def test_killed_while_the_first_reads(self):
        os.mkfifo(self.path("pipe"))
        keeper = os.open(self.path("pipe"), os.O_RDWR)  # a writer that never writes
        self.addCleanup(os.close, keeper)
        for victim in (0, 2):
            self.killed(3, victim, "sum", "pipe", when=lambda first: self.has_opened(first, "pipe"))

    def test_killed_in_the_middle(self):
        self.killed(2, 1, "scaling", "sum", "--ranks", "--repetitions", "100000", "--sizes", "1000000",
                    when=lambda first: self.has_worked(first, 0.3))


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
