# SPDX-License-Identifier: BSD-3-Clause
"""Files and standard output that cannot be written: nothing is left behind, and it is told."""

import errno
import os
import pty
import resource
import signal
import subprocess
import threading
import time

from tool import TOOL, ToolTest, main, npy_matrix, read_npy


def identity(n):
    return [[float(i == j) for j in range(n)] for i in range(n)]


class Output(ToolTest):

    def setUp(self):
        super().setUp()
        self.write("a.npy", npy_matrix([[2, 1], [1, 3], [0, 1]]))

    def mount(self, options):
        """A small file system at `disk` in the test's directory; skips the test without the right
        to mount one."""
        disk = self.path("disk")
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if mounted.returncode != 0:
            self.skipTest("a file system cannot be mounted here: " + mounted.stdout.decode())
        self.addCleanup(subprocess.run, ["umount", disk])
        return disk

    def test_old_files_are_replaced(self):
        self.write("f_S.npy", "old")
        self.svd("a.npy", "-o", "f")
        self.assertEqual(len(read_npy(self.path("f_S.npy"))[1]), 2)
        self.assertEqual(self.files(), ["a.npy", "f_S.npy", "f_U.npy", "f_V.npy"])

    def test_other_directories(self):
        os.mkdir(self.path("sub"))
        self.svd("a.npy", "-o", "sub/f")
        self.svd("a.npy", "--output=" + self.path("sub/g"))
        self.assertEqual(sorted(os.listdir(self.path("sub"))),
                         ["%s_%s.npy" % (p, x) for p in "fg" for x in "SUV"])

    def test_permissions_follow_the_umask(self):
        self.succeed("svd", "a.npy", "-o", "f", preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(os.stat(self.path("f_U.npy")).st_mode & 0o777, 0o640)

    def test_directory_missing(self):
        self.refuse("svd", "a.npy", "-o", "nowhere/f",
                    says=("nowhere/f_U.npy", "No such file or directory"))

    def test_directory_is_a_file(self):
        self.write("file", "")
        self.refuse("svd", "a.npy", "-o", "file/f", says=("file/f_U.npy", "Not a directory"))

    def test_name_is_taken_by_a_directory(self):
        os.mkdir(self.path("f_V.npy"))
        self.refuse("svd", "a.npy", "-o", "f", says=("f_V.npy", "Is a directory"))

    def test_prefix_is_a_directory(self):
        os.mkdir(self.path("sub"))
        self.refuse("svd", "a.npy", "-o", "sub/", says=("--output", "directory"))
        self.refuse("svd", "a.npy", "-o", "", says="--output")

    def test_name_too_long(self):
        self.refuse("svd", "a.npy", "-o", "x" * 300, says="File name too long")
        # The name fits, that of the temporary file does not.
        self.refuse("svd", "a.npy", "-o", "x" * 248, says="File name too long")

    def test_input_is_not_overwritten(self):
        self.write("f_U.npy", npy_matrix(identity(2)))
        self.refuse("svd", "f_U.npy", "-o", "f", says="is the input")
        os.symlink("f_U.npy", self.path("g_S.npy"))
        self.refuse("svd", "f_U.npy", "-o", "g", says="is the input")

    def test_directory_not_writable(self):
        os.chmod(self.home, 0o755)
        os.mkdir(self.path("sub"), 0o555)
        self.refuse("svd", "a.npy", "-o", "sub/f", says=("sub/f_U.npy", "Permission denied"),
                    **self.as_nobody())

    def test_file_system_not_writable(self):
        self.mount("size=64k,ro")
        self.refuse("svd", "a.npy", "-o", "disk/f", says=("disk/f_U.npy", "Read-only"))

    def test_full_disk(self):
        # 64 x 64 doubles take 32 KiB and a page: U fits, V does not.
        disk = self.mount("size=48k")
        self.write("a.npy", npy_matrix(identity(64)))
        for format in ((), ("--json",)):
            self.refuse("svd", "a.npy", "-o", "disk/f", *format,
                        says=("disk/f_V.npy", "No space left on device"))
            self.assertEqual(os.listdir(disk), [])
        # S alone fits.
        self.succeed("svd", "a.npy", "-o", "disk/f", "--values-only")
        self.assertEqual(os.listdir(disk), ["f_S.npy"])

    def test_full_disk_keeps_old_files(self):
        disk = self.mount("size=48k")
        self.write("a.npy", npy_matrix(identity(64)))
        self.write("disk/f_U.npy", "old")
        self.refuse("svd", "a.npy", "-o", "disk/f", says="No space left on device")
        self.assertEqual(os.listdir(disk), ["f_U.npy"])
        self.assertEqual(os.path.getsize(os.path.join(disk, "f_U.npy")), 3)

    def test_limit_on_the_size_of_files(self):
        self.write("a.npy", npy_matrix(identity(64)))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        self.refuse("svd", "a.npy", "-o", "f", says=("f_U.npy", "File too large"),
                    preexec_fn=limit)

    def test_standard_output_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        for arguments in (["svd", "a.npy"], ["svd", "a.npy", "--json"],
                          ["svd", "a.npy", "-o", "f"], ["info"], ["info", "--json"],
                          ["--help"], ["svd", "--help"], ["--version"]):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                self.refuse(*arguments, stdout=full,
                            says=("standard output", "No space left on device"))

    def test_standard_output_closed(self):
        for arguments in (["svd", "a.npy", "-o", "f"], ["--help"]):
            self.refuse(*arguments, stdout=None, preexec_fn=lambda: os.close(1),
                        says="standard output")

    def test_reader_gone(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.refuse("svd", "a.npy", "-o", "f", stdout=writer,
                    says=("standard output", "Broken pipe"))
        os.close(writer)

    def test_standard_error_closed(self):
        for arguments, status in ((["svd", "a.npy", "-o", "f"], 0), (["svd", "missing.npy"], 2)):
            process = self.run_tool(*arguments, stderr=None, preexec_fn=lambda: os.close(2))
            self.assertEqual(process.returncode, status)
        self.assertEqual(read_npy(self.path("f_U.npy"))[0], "f8")

    def test_signals_remove_temporary_files(self):
        # Standard output is a pipe that is full and that nobody reads: the tool waits there, its
        # files written under their temporary names.
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            reader, writer = os.pipe()
            os.set_blocking(writer, False)
            try:
                while True:
                    os.write(writer, b"x" * 4096)
            except OSError as error:
                self.assertEqual(error.errno, errno.EAGAIN)
            os.set_blocking(writer, True)
            process = subprocess.Popen([TOOL, "svd", "a.npy", "-o", "f"], cwd=self.home,
                                       stdout=writer)
            deadline = time.monotonic() + 60
            while len(self.files()) < 4 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(len(self.files()), 4)
            self.assertEqual([name for name in self.files() if name[0] != "."], ["a.npy"])
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number)
            self.assertEqual(self.files(), ["a.npy"])
            os.close(reader)
            os.close(writer)


class Progress(ToolTest):

    def run_on_terminal(self, delay):
        """What appears on a terminal as standard error when the input takes `delay` seconds."""
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest("there is no pseudo-terminal: %s" % error)
        os.mkfifo(self.path("pipe"))
        shown = []

        def feed():
            with open(self.path("pipe"), "wb") as pipe:
                time.sleep(delay)
                pipe.write(npy_matrix([[1, 2]]))

        def watch():
            try:
                while True:
                    shown.append(os.read(master, 4096))
            except OSError:  # Linux reports the end of a terminal like this
                pass

        threads = [threading.Thread(target=work) for work in (feed, watch)]
        for thread in threads:
            thread.start()
        process = self.run_tool("svd", "pipe", "--json", stderr=slave)
        os.close(slave)
        for thread in threads:
            thread.join()
        os.close(master)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(process.stdout.count(b"\n"), 1)
        os.unlink(self.path("pipe"))
        return b"".join(shown)

    def test_shown_after_a_second_and_erased(self):
        shown = self.run_on_terminal(1.7)
        self.assertIn(b"carroll: reading pipe, 1 s", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)
        self.assertNotIn(b"\n", shown)

    def test_nothing_without_a_terminal(self):
        os.mkfifo(self.path("pipe"))

        def feed():
            with open(self.path("pipe"), "wb") as pipe:
                time.sleep(1.3)
                pipe.write(npy_matrix([[1, 2]]))

        thread = threading.Thread(target=feed)
        thread.start()
        self.svd("pipe")
        thread.join()


if __name__ == "__main__":
    main()
