# SPDX-License-Identifier: BSD-3-Clause
"""Damaged files, some hundred of them: the tool answers with 0, 1 or 2, and never crashes."""

import json
import os
import random
import resource

from tool import ToolTest, main, npy_bytes, npy_matrix

MATRIX = [[1.5, -2.0, 0.25], [3.0, 4.0, 1e-3], [0.0, 7.0, -8.0], [1.0, 1.0, 1.0]]

SEEDS = [
    ("a.npy", npy_matrix(MATRIX)),
    ("a.npy", npy_matrix(MATRIX, ">f4", fortran=True, version=2)),
    ("a.npy", npy_matrix([[1, 2], [3, 4]], "<i2", version=3)),
    ("a.npy", npy_bytes(bytes(32), "[('x', '<f8'), ('y', '<f8')]", shape="(2,)")),
    ("a.mtx", b"%%MatrixMarket matrix array real general\n% comment\n3 2\n1\n2\n3\n4\n5.5\n-6e1\n"),
    ("a.mtx", b"%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1.0\n2 2 2\n3 1 5\n3 3 1\n"),
    ("a.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n1 3\n2 2\n"),
    ("a.mtx", b"%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n"),
]

# More can be asked for: CARROLL_MUTATIONS=1000 takes a few minutes.
MUTATIONS_PER_SEED = int(os.environ.get("CARROLL_MUTATIONS", "60"))


def mutate(content, source):
    """`content` with one to three bytes or stretches changed."""
    data = bytearray(content)
    for _ in range(source.choice((1, 1, 2, 3))):
        at = source.randrange(len(data) + 1)
        kind = source.choice((0, 1, 1, 2, 3, 4, 5, 6))
        if kind == 0 and at < len(data):
            data[at] = source.randrange(256)
        elif kind == 1 and at < len(data):
            data[at] ^= 1 << source.randrange(8)
        elif kind == 2:
            data[at:at] = bytes([source.randrange(256)])
        elif kind == 3:
            del data[at:at + source.randint(1, 8)]
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            # Long numbers go where other numbers are, to make sizes and indices lie.
            digits = [k for k, c in enumerate(data) if chr(c).isdigit()]
            if digits:
                k = source.choice(digits)
                data[k:k + 1] = source.choice([b"99999999999", b"-1", b"18446744073709551616",
                                               b"0", b"2147483648", b"1e9", b"3.5"])
        else:
            other = source.choice(SEEDS)[1]
            data[at:at] = other[:source.randrange(len(other))]
    return bytes(data)


class Mutations(ToolTest):

    def test_mutations(self):
        source = random.Random(int(os.environ.get("CARROLL_SEED", "1898")))
        outcomes = {0: 0, 1: 0, 2: 0}
        for name, content in SEEDS:
            for _ in range(MUTATIONS_PER_SEED):
                mutant = mutate(content, source)
                self.write(name, mutant)
                process = self.run_tool("svd", name, "--json", "--values-only")
                self.assertIn(process.returncode, outcomes, (name, mutant, process.stderr))
                outcomes[process.returncode] += 1
                if process.returncode == 2:
                    self.assertRegex(process.stderr, rb"\Acarroll: [^\n]+\n\Z", mutant)
                    self.assertEqual(process.stdout, b"", mutant)
                else:
                    self.assertEqual(process.stderr, b"", mutant)
                    json.loads(process.stdout)
                self.assertEqual(self.files(), [name])
            os.unlink(self.path(name))
        # The damage must have been worth trying: many files refused, some still read.
        self.assertGreater(outcomes[2], 100)
        self.assertGreater(outcomes[0], 10)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 2 * 1024**2)


if __name__ == "__main__":
    main()
