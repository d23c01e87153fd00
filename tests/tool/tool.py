# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the command-line tool share.

Arrays are written and read here by hand, from the description of the .npy format, so that the tool
is checked against that and not against itself. A matrix is a list of rows.
"""

import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

TOOL = os.environ.get("CARROLL_TOOL", "carroll")
VERSION = os.environ.get("CARROLL_VERSION", "")
DATA = os.environ.get("CARROLL_DATA", "")

JSON_KEYS = ["status", "rows", "cols", "precision", "backend", "singular_values", "sweeps",
             "max_cosine", "relative_residual", "rank", "seconds"]

TRUNCATED_JSON_KEYS = ["status", "rows", "cols", "precision", "backend", "singular_values",
                       "power_steps", "triplet_residual", "error_bound", "relative_residual",
                       "seconds"]

EPS = {"single": 2.0**-23, "double": 2.0**-52}

STRUCT_CODES = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
                "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}


def npy_bytes(data, descr="'<f8'", order=False, shape="(2, 2)", version=1, header=None):
    """A .npy file with `data` behind a header made of the other arguments as they are."""
    if header is None:
        header = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    width = 2 if version == 1 else 4
    header += " " * (-(8 + width + len(header) + 1) % 64) + "\n"
    text = header.encode("utf-8")
    return (b"\x93NUMPY" + bytes([version, 0]) +
            struct.pack("<H" if width == 2 else "<I", len(text)) + text + data)


def npy_matrix(matrix, descr="<f8", fortran=False, version=1, cols=None):
    """A .npy file with the rows of `matrix`; `cols` is needed when there is no row."""
    rows = len(matrix)
    cols = len(matrix[0]) if cols is None else cols
    entries = ([matrix[i][j] for j in range(cols) for i in range(rows)] if fortran else
               [x for row in matrix for x in row])
    order = "<" if descr[0] in "<|" else ">"
    if descr[0] == "=":
        order = "="
    data = struct.pack(order + str(len(entries)) + STRUCT_CODES[descr[-2:]], *entries)
    return npy_bytes(data, "'%s'" % descr, fortran, "(%d, %d)" % (rows, cols), version)


def npy_complex(matrix, descr="<c16", fortran=False):
    """The same with the rows of a complex matrix."""
    rows, cols = len(matrix), len(matrix[0])
    entries = ([matrix[i][j] for j in range(cols) for i in range(rows)] if fortran else
               [x for row in matrix for x in row])
    parts = [part for z in map(complex, entries) for part in (z.real, z.imag)]
    order, code = descr[0], "d" if descr[1:] == "c16" else "f"
    data = struct.pack("%s%d%s" % (order, len(parts), code), *parts)
    return npy_bytes(data, "'%s'" % descr, fortran, "(%d, %d)" % (rows, cols))


def npy_vector(values, descr="<f8"):
    """A .npy file of one dimension."""
    data = struct.pack("<%d%s" % (len(values), STRUCT_CODES[descr[1:]]), *values)
    return npy_bytes(data, "'%s'" % descr, shape="(%d,)" % len(values))


def npy_batch(batch, descr="<f8", fortran=False):
    """A .npy file of three dimensions with the matrices of `batch`, the first of which counts them."""
    members, rows, cols = len(batch), len(batch[0]), len(batch[0][0])
    entries = ([batch[b][i][j] for j in range(cols) for i in range(rows) for b in range(members)]
               if fortran else [x for matrix in batch for row in matrix for x in row])
    if descr[1] == "c":
        entries = [part for z in map(complex, entries) for part in (z.real, z.imag)]
    code = {"c16": "d", "c8": "f"}.get(descr[1:]) or STRUCT_CODES[descr[-2:]]
    data = struct.pack("<%d%s" % (len(entries), code), *entries)
    return npy_bytes(data, "'%s'" % descr, fortran, "(%d, %d, %d)" % (members, rows, cols))


def read_npy(path):
    """(dtype, matrix or list) of a .npy file of this machine's byte order."""
    with open(path, "rb") as file:
        content = file.read()
    assert content[:8] == b"\x93NUMPY\x01\x00", content[:8]
    length = struct.unpack("<H", content[8:10])[0]
    assert (10 + length) % 64 == 0, "data must begin at a multiple of 64"
    header = eval(content[10:10 + length])  # a literal that the tool has just written
    assert set(header) == {"descr", "fortran_order", "shape"}
    assert header["descr"][0] == ("<" if sys.byteorder == "little" else ">")
    kind, shape, data = header["descr"][1:], header["shape"], content[10 + length:]
    size = int(kind[1:])
    count = math.prod(shape)
    assert len(data) == count * size, (shape, len(data))
    if kind[0] == "c":
        parts = struct.unpack("=%d%s" % (2 * count, STRUCT_CODES["f%d" % (size // 2)]), data)
        values = [complex(*parts[2 * k:2 * k + 2]) for k in range(count)]
    else:
        values = list(struct.unpack("=%d%s" % (count, STRUCT_CODES[kind]), data))
    if len(shape) == 1:
        return kind, values
    if len(shape) == 3:
        members, rows, cols = shape
        assert not header["fortran_order"]
        return kind, [[values[(b * rows + i) * cols:(b * rows + i + 1) * cols] for i in range(rows)]
                      for b in range(members)]
    rows, cols = shape
    if header["fortran_order"]:
        return kind, [[values[j * rows + i] for j in range(cols)] for i in range(rows)]
    return kind, [values[i * cols:(i + 1) * cols] for i in range(rows)]


def product(U, S, V):
    return [[sum(u * s * v for u, s, v in zip(urow, S, vrow)) for vrow in V] for urow in U]


def norm(matrix):
    return math.hypot(*[x for row in matrix for x in row])


def minus(A, B):
    return [[a - b for a, b in zip(ra, rb)] for ra, rb in zip(A, B)]


class ToolTest(unittest.TestCase):
    """Each test works in an empty directory of its own."""

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="carroll-tool-")
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.home, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode) as file:
            file.write(content)
        return name

    def files(self):
        return sorted(os.listdir(self.home))

    def run_tool(self, *arguments, **keywords):
        """Runs the tool in the test's directory and returns the finished process."""
        keywords.setdefault("stdout", subprocess.PIPE)
        keywords.setdefault("stderr", subprocess.PIPE)
        keywords.setdefault("cwd", self.home)
        keywords.setdefault("timeout", 120)
        return subprocess.run([TOOL, *arguments], **keywords)

    def as_nobody(self):
        """Keywords with which root runs the tool as nobody, to whom files can be closed. The tool is
        copied to where nobody may go: its own folder can lie below /root."""
        if os.geteuid() != 0:
            return {}
        folder = tempfile.mkdtemp(prefix="carroll-tool-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        os.chmod(folder, 0o755)
        return {"executable": shutil.copy(TOOL, folder),
                "preexec_fn": lambda: os.setuid(65534)}

    def succeed(self, *arguments, **keywords):
        """Standard output of a run that must succeed in silence."""
        process = self.run_tool(*arguments, **keywords)
        self.assertEqual((process.returncode, process.stderr), (0, b""), process.stdout)
        return process.stdout.decode()

    def read(self, name):
        """The numbers of a .npy file in the test's directory."""
        return read_npy(self.path(name))[1]

    def assert_close(self, values, expected, bound):
        """Numbers, lists of them, or lists of lists."""
        self.assertEqual(len(values), len(expected))
        for value, wanted in zip(values, expected):
            if isinstance(wanted, list):
                self.assert_close(value, wanted, bound)
            else:
                self.assertAlmostEqual(value, wanted, delta=bound)

    def json_report(self, keys, *arguments, status=0):
        """The JSON object of a run with --json that says nothing else: one line, valid, with these keys."""
        process = self.run_tool(*arguments, "--json")
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        text = process.stdout.decode()
        self.assertEqual(text.count("\n"), 1)
        report = json.loads(text, parse_constant=lambda word: self.fail(word + " is not JSON"))
        self.assertEqual(sorted(report), sorted(keys))
        return report

    def svd(self, name, *arguments, status=0):
        """The JSON object of `carroll svd`, with the documented keys."""
        keys = TRUNCATED_JSON_KEYS if "truncated" in arguments else JSON_KEYS
        if "--energy" in arguments:
            keys = [*keys, "energy_rank"]
        return self.json_report(keys, "svd", name, *arguments, status=status)

    def refuse(self, *arguments, says=(), leaves=None, **keywords):
        """A run that must end with status 2, one line on standard error, nothing on standard
        output, and no file that was not there before. Returns the line."""
        before = self.files() if leaves is None else leaves
        process = self.run_tool(*arguments, **keywords)
        line = process.stderr.decode(errors="replace")
        self.assertEqual(process.returncode, 2, line)
        self.assertRegex(line, r"\Acarroll: [^\n]+\n\Z")
        self.assertIn(process.stdout, (b"", None))
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, line)
        self.assertEqual(self.files(), before)
        return line

    def read_back(self, content, name="matrix.npy", precision="double", options=()):
        """The matrix that the tool has read from `content`, put together from its factors."""
        self.write(name, content)
        report = self.svd(name, "-o", "back", *options)
        self.assertEqual(report["precision"], precision)
        kinds, factors = zip(*[read_npy(self.path("back_%s.npy" % x)) for x in "USV"])
        self.assertEqual(set(kinds), {"f4" if precision == "single" else "f8"})
        U, S, V = factors
        least = min(report["rows"], report["cols"])
        self.assertEqual((len(U), len(S), len(V)), (report["rows"], least, report["cols"]))
        return product(U, S, V)

    def assert_same(self, A, B, precision="double"):
        self.assertEqual((len(A), [len(row) for row in A]), (len(B), [len(row) for row in B]))
        bound = 100 * EPS[precision] * norm(A)
        self.assertLessEqual(norm(minus(A, B)), bound)


def main():
    """unittest.main, with a line that ctest recognises when every test was skipped."""
    program = unittest.main(exit=False, verbosity=1)
    result = program.result
    if result.testsRun and result.wasSuccessful() and len(result.skipped) == result.testsRun:
        print("nothing but skipped tests")
    sys.exit(0 if result.wasSuccessful() else 1)
