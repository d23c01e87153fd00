# SPDX-License-Identifier: BSD-3-Clause
"""Help, versions, `carroll info`, Kokkos' own flags, and command lines that make no sense."""

import json
import os
import re

from tool import VERSION, ToolTest, main, npy_matrix


class CommandLine(ToolTest):

    def setUp(self):
        super().setUp()
        self.write("a.npy", npy_matrix([[2, 1], [1, 3], [0, 1]]))

    def test_help(self):
        for arguments in (["--help"], ["-h"], ["svd", "--help"], ["svd", "-h"], ["info", "--help"],
                          ["det", "--help"], ["occupancy", "--help"], ["scaling", "--help"],
                          ["sum", "--help"], ["dot", "--help"], ["norm", "--help"],
                          ["gemv", "--help"], ["gemm", "--help"], ["add", "--help"],
                          ["svd", "a.npy", "--help"], ["--help", "svd"],
                          *([command, "--help"] for command in ("eigh", "qr", "lstsq", "solve", "inverse", "pinv",
                                                                "track", "denoise", "background"))):
            with self.subTest(arguments=arguments):
                text = self.succeed(*arguments)
                self.assertIn("Usage: carroll", text)
                self.assertLessEqual(max(map(len, text.splitlines())), 80)
                self.assertNotRegex(text, r"[ \t]\n|\n\n\n|[^\n]\Z")
                self.assertTrue(text.isascii())

    def test_help_is_complete(self):
        text = self.succeed("--help")
        for word in ("svd", "det", "sum", "dot", "norm", "gemv", "gemm", "add", "info", "--version", "--kokkos-num-threads", "Exit status"):
            self.assertIn(word, text)
        text = self.succeed("svd", "--help")
        for word in ("INPUT", "--values-only", "--rank K", "--energy F", "--precision P", "single",
                     "double", "--method M", "preconditioned", "cyclic", "round_robin", "truncated",
                     "--placement W", "global", "semi_shared", "shared", "--path H", "automatic",
                     "registers", "tiles", "team", "warp", "fused", "tiled", "gram", "eigenbasis", "spectral",
                     "host_batch", "host_block", "--tolerance T",
                     "--max-sweeps N", "--output PREFIX", "--json", "_U.npy", "_S.npy", "_V.npy",
                     "not_converged", "non_finite", "overflow", "null", "Exit status"):
            self.assertIn(word, text)
        report = self.svd("a.npy", "--energy", "0.5")
        report |= self.svd("a.npy", "--rank", "1", "--method", "truncated")
        for key in report:
            self.assertIn(key, text)
        self.assertIn("--json", self.succeed("info", "--help"))

    def test_version(self):
        text = self.succeed("--version")
        self.assertRegex(text, r"\Acarroll \d+\.\d+\.\d+\n\Z")
        if VERSION:
            self.assertEqual(text, "carroll %s\n" % VERSION)

    def test_info(self):
        info = json.loads(self.succeed("info", "--json"))
        self.assertEqual(list(info), ["version", "kokkos_version", "backends",
                                      "default_execution_space", "device", "threads",
                                      "kokkos_kernels", "mpi", "nccl", "ranks", "devices"])
        self.assertEqual((info["ranks"], len(info["devices"])), (1, 1))
        self.assertIn(info["default_execution_space"], info["backends"])
        self.assertRegex(info["kokkos_version"], r"\A\d+\.\d+\.\d+\Z")
        self.assertIs(type(info["kokkos_kernels"]), bool)
        text = self.succeed("info")
        for value in (info["version"], info["kokkos_version"], info["default_execution_space"],
                      info["device"], "yes" if info["kokkos_kernels"] else "no",
                      info["mpi"] or "none", info["nccl"] or "none"):
            self.assertIn(value, text)
        self.assertEqual(self.svd("a.npy")["backend"], info["default_execution_space"])

    def test_threads(self):
        info = json.loads(self.succeed("info", "--json"))
        if info["default_execution_space"] != "OpenMP":
            self.skipTest("threads can be chosen with OpenMP alone")
        for arguments in (["--kokkos-num-threads=1", "info", "--json"],
                          ["info", "--kokkos-num-threads=1", "--json"],
                          ["info", "--json", "--kokkos-num-threads=1"]):
            self.assertEqual(json.loads(self.succeed(*arguments))["threads"], 1)

    def test_threads_sleep_while_they_wait(self):
        info = json.loads(self.succeed("info", "--json"))
        if info["default_execution_space"] != "OpenMP":
            self.skipTest("only OpenMP's threads wait for each other")
        other = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
        plain = {name: value for name, value in os.environ.items() if name not in other}
        plain |= {"OMP_NUM_THREADS": "2", "OMP_DISPLAY_ENV": "VERBOSE"}
        # How often GNU's runtime looks for work before a thread sleeps.
        for extra, sleeps in (({}, True), ({"OMP_WAIT_POLICY": "active"}, False)):
            process = self.run_tool("svd", "a.npy", "--json", env=plain | extra)
            self.assertEqual(process.returncode, 0)
            self.assertEqual(json.loads(process.stdout)["status"], "success")
            looks = re.findall(r"GOMP_SPINCOUNT = '(\d+)'", process.stderr.decode())
            if not looks:
                self.skipTest("not GNU's OpenMP")
            self.assertEqual(looks[-1] == "0", sleeps)

    def test_kokkos_flags(self):
        for flag in ("--kokkos-num-threads=1", "--kokkos-disable-warnings",
                     "--kokkos-tune-internals=false"):
            self.svd("a.npy", flag)
        # What Kokkos prints does not mix with the results.
        process = self.run_tool("svd", "a.npy", "--json", "--kokkos-print-configuration")
        self.assertEqual(process.returncode, 0)
        self.assertEqual(process.stdout.count(b"\n"), 1)
        self.assertIn(b"Kokkos Version", process.stderr)
        self.assertIn("--kokkos-num-threads", self.succeed("--kokkos-help"))

    def test_wrong_kokkos_flags(self):
        for flag in ("--kokkos-num-threads", "--kokkos-num-threads=", "--kokkos-num-threads=0",
                     "--kokkos-num-threads=two", "--kokkos-num-threads=1x",
                     "--kokkos-num-threads=99999999999", "--kokkos-device-id=-1",
                     "--kokkos-device-id=first", "--kokkos-map-device-id-by=hand",
                     "--kokkos-disable-warnings=perhaps", "--kokkos-tools-libs=",
                     "--kokkos-no-such-flag", "--kokkos-", "--kokkos-help=yes"):
            with self.subTest(flag=flag):
                self.refuse("svd", "a.npy", flag, says=flag.split("=")[0] + ": ")

    def test_words_that_make_no_sense(self):
        for arguments, says in (
                ([], "a command is missing"),
                (["solves"], "'solves' is no command"),
                (["svd"], "INPUT is required"),
                (["svd", "a.npy", "b.npy"], "'b.npy' is one argument too many"),
                (["svd", "a.npy", "--unknown"], "there is no option --unknown"),
                (["svd", "a.npy", "--unknown", "1", "--other"], "there is no option --unknown"),
                (["--unknown"], ""),
                (["info", "a.npy"], "a.npy"),
                (["det"], "INPUT is required"),
                (["svd", "a.npy", "svd"], ""),
                (["svd", "a.npy", "--json=maybe"], "json"),
        ):
            with self.subTest(arguments=arguments):
                self.refuse(*arguments, says=says)

    def test_wrong_values(self):
        for option, values in (
                ("--rank", ("0", "-1", "1.5", "many", "", "99999999999999999999", "1 2")),
                ("--energy", ("-0.1", "1.1", "nan", "inf", "all", "", "0.5x")),
                ("--tolerance", ("-1", "1", "2", "nan", "inf", "tight", "")),
                ("--max-sweeps", ("0", "-3", "2.5", "many", "3000000000", "")),
                ("--precision", ("half", "SINGLE", "", "4")),
                ("--method", ("jacobi", "", "Cyclic")),
                ("--placement", ("texture", "")),
                ("--path", ("warps", "", "Tiles")),
        ):
            for value in values:
                with self.subTest(option=option, value=value):
                    self.refuse("svd", "a.npy", "%s=%s" % (option, value), says=option)
            with self.subTest(option=option, value=None):
                self.refuse("svd", "a.npy", option, says=option)

    def test_rank_beyond_the_matrix(self):
        self.refuse("svd", "a.npy", "--rank", "3",
                    says=("a.npy: ", "3 x 2", "2 singular values", "asks for 3"))

    def test_placement_needs_round_robin(self):
        self.refuse("svd", "a.npy", "--placement", "global", says="--method round_robin")

    def test_path_needs_preconditioned(self):
        self.refuse("svd", "a.npy", "--path", "tiles", "--method", "cyclic",
                    says="--method preconditioned")

    def test_truncated_needs_a_rank_and_has_no_use_for_other_options(self):
        self.refuse("svd", "a.npy", "--method", "truncated", says="needs --rank")
        for option in (("--energy", "0.9"), ("--max-sweeps", "3")):
            self.refuse("svd", "a.npy", "--method", "truncated", "--rank", "1", *option,
                        says=(option[0], "truncated"))

    def test_names_that_look_like_something_else(self):
        self.write("-a.npy", npy_matrix([[1]]))
        self.write("--kokkos-help", npy_matrix([[1]]))
        self.write("svd", npy_matrix([[1]]))
        self.assertEqual(self.svd("./-a.npy")["rows"], 1)
        self.assertEqual(self.svd("svd")["rows"], 1)
        for name in ("-a.npy", "--kokkos-help"):
            self.assertIn('"rows":1', self.succeed("svd", "--json", "--", name))

    def test_names_with_strange_characters(self):
        for name in ("two words.npy", "näme.npy", "new\nline.npy", "{}%s.npy", b"\xff\xfe.npy"):
            with self.subTest(name=name):
                self.refuse("svd", name, says="No such file or directory")
                path = os.path.join(os.fsencode(self.home), os.fsencode(name))
                with open(path, "wb") as file:
                    file.write(npy_matrix([[1]]))
                self.assertTrue(re.search("status +success", self.succeed_bytes("svd", name)))

    def succeed_bytes(self, *arguments):
        process = self.run_tool(*arguments)
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        return process.stdout.decode(errors="replace")


if __name__ == "__main__":
    main()
