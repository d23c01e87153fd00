# SPDX-License-Identifier: BSD-3-Clause
"""Files of ratings for carroll recommend: all formats hold the same, bad rows are named."""

from ratings import RecommendTest, array, npz, planted, scipy_npz, text_of
from tool import main, npy_bytes


class RatingsFiles(RecommendTest):

    def answer(self, name):
        """What biases say of the ratings in the file, without what depends on ids' names."""
        report = self.report(name, "--method", "bias", "--users", "all", "--precision", "double")
        return [[item["score"] for item in entry["items"]] for entry in report["recommendations"]]

    def test_all_formats_hold_the_same(self):
        # All users and items have ratings, so that formats that do not count them see as many.
        rows = planted(30, 20, 1)
        plain = dict(user="%d", item="%d")
        self.write("a.csv", text_of(rows, **plain))
        wanted = self.answer("a.csv")
        self.assertEqual((len(wanted), {len(scores) for scores in wanted}), (30, {0}))
        rows = [row for row in rows if (row[0] + 3 * row[1]) % 4]
        self.write("a.csv", text_of(rows, **plain))
        wanted = self.answer("a.csv")
        self.assertEqual({len(scores) for scores in wanted}, {5})
        market = "%%%%MatrixMarket matrix coordinate real general\n%% films\n30 20 %d\n" % len(rows)
        market += "".join("%d %d %s\n" % (u + 1, i + 1, r) for u, i, r in rows)
        files = {
            "plain.csv": text_of(rows, header="", **plain),
            "semicolons.csv": text_of(rows, ";", "u;i;r\n", **plain),
            "tabs.tsv": text_of(rows, "\t", "", **plain),
            "colons.dat": text_of(rows, "::", "", **plain),
            "blanks.txt": text_of(rows, "  ", "", **plain),
            "windows.csv": "\ufeff" + text_of(rows, **plain).replace("\n", "\r\n"),
            "quotes.csv": text_of(rows, user='"%d"', item='"%d"'),
            "more.csv": text_of([(u, i, "%s,881250949,x" % r) for u, i, r in rows], **plain),
            "blank_lines.csv": text_of(rows, **plain).replace("\n", "\n\n"),
            "market.mtx": market,
            "csr.npz": scipy_npz(rows, 30, 20),
            "csr_plain.npz": scipy_npz(rows, 30, 20, compress=False),
            "csc.npz": scipy_npz(rows, 30, 20, "csc"),
            "coo.npz": scipy_npz(rows, 30, 20, "coo")}
        for name, content in files.items():
            with self.subTest(name=name):
                self.write(name, content if isinstance(content, bytes) else content.encode())
                self.assertEqual(self.answer(name), wanted)

    def test_ids_are_any_text(self):
        self.write("a.csv", 'who,what,rating\n"Doe, John","The ""Best"", and more",4\n'
                            'Zoë,2,3.5\n"Doe, John",2,+1e0\n Zoë , The,2\nMax,The,1\n')
        report = self.report("a.csv", "--method", "bias", "--users", "Zoë", "-o", "out")
        self.assertEqual((report["users"], report["items"]), (3, 3))
        self.assertEqual([item["item"] for item in report["recommendations"][0]["items"]],
                         ['The "Best", and more'])
        with open(self.path("out_items.csv"), encoding="utf-8") as file:
            self.assertTrue(file.read().splitlines()[1].startswith(
                'Zoë,"The ""Best"", and more",'))
        self.assertEqual(self.report("a.csv", "--method", "bias", "--users", "Doe, John")
                         ["recommendations"][0]["user"], "Doe, John")

    def test_pairs_alone(self):
        self.write("a.tsv", "1\t2\n1\t3\n4\t2\n")
        report = self.report("a.tsv", "--method", "als", "--implicit", "--factors", "1", "--users",
                             "4")
        self.assertEqual(report["ratings"], 3)
        self.assertEqual(report["recommendations"][0]["items"][0]["item"], "3")

    def test_bad_rows_are_named(self):
        head = "user,item,rating\na,b,1\nc,d,2\n"
        cases = {
            "a,e,": "line 4: '' is no finite rating",
            "a,e,good": "line 4: 'good' is no finite rating",
            "a,e,nan": "line 4: 'nan' is no finite rating",
            "a,e,inf": "line 4: 'inf' is no finite rating",
            "a,e,1e999": "line 4: '1e999' is no finite rating",
            "a,e,3x": "line 4: '3x' is no finite rating",
            "a,e": "line 4: there are 2 fields, expected user, item and rating",
            ",e,3": "line 4: the user is missing",
            "a,,3": "line 4: the item is missing",
            '"a,e,3': "line 4: a quote is not closed",
            '"a"x,e,3': "line 4: a quote is followed by more",
            "a,e\0,3": "line 4: is no text",
            "a,b,3": "line 4: the user has rated this item before, in line 2"}
        for row, says in cases.items():
            with self.subTest(row=row):
                self.write("bad.csv", head + row + "\n")
                self.refuse_recommend("bad.csv", "--method", "bias", says="bad.csv: " + says)
        self.write("good.csv", head)
        self.write("bad.csv", head + "a,e,nan\n")
        self.refuse_recommend("good.csv", "--method", "bias", "--test", "bad.csv",
                              says="bad.csv: line 4: ")

    def test_duplicates(self):
        self.write("a.csv", "u,i,r\na,b,1\nc,b,2\na,b,4\n")
        means = {}
        for what in ("sum", "last"):
            report = self.report("a.csv", "--method", "bias", "--duplicates", what, "--users",
                                 "all", "-o", what)
            self.assertEqual(report["ratings"], 2)
            means[what] = report
        self.write("sum.csv", "u,i,r\na,b,5\nc,b,2\n")
        self.write("last.csv", "u,i,r\na,b,4\nc,b,2\n")
        for what in means:
            self.report(what + ".csv", "--method", "bias", "-o", "again")
            with open(self.path("again_model.npz"), "rb") as one, \
                    open(self.path(what + "_model.npz"), "rb") as two:
                self.assertEqual(one.read(), two.read())

    def test_files_that_are_none(self):
        rows = planted(5, 5, 1)
        good = scipy_npz(rows, 5, 5)
        market = "%%MatrixMarket matrix coordinate real general\n"
        shape = ("shape", array([2, 2], "<i8"))
        csr = ("format", npy_bytes(b"csr", "'|S3'", shape="()"))
        cases = {
            "empty.csv": (b"", "is empty"),
            "header.csv": (b"user,item,rating\n", "has no ratings"),
            "word.csv": (b"word\n", "line 1: 'word' is no user, item and rating"),
            "array.mtx": (b"%%MatrixMarket matrix array real general\n1 1\n1\n", "line 1: "),
            "outside.mtx": ((market + "2 2 1\n3 1 1\n").encode(), "line 3: (3, 1) is outside"),
            "short.mtx": ((market + "2 2 2\n1 1 1\n").encode(), "has 1 of 2 entries"),
            "long.mtx": ((market + "2 2 1\n1 1 1\n1 2 1\n").encode(), "line 4: is one more"),
            "nan.mtx": ((market + "2 2 1\n1 1 nan\n").encode(), "line 3: "),
            "cut.npz": (good[:len(good) // 2], "is truncated"),
            "dense.npz": (npz([("data", array([1], "<f8"))]), "is no sparse matrix of scipy"),
            "outside.npz": (npz([csr, shape, ("indices", array([0, 2], "<i4")),
                                 ("indptr", array([0, 1, 2], "<i4")),
                                 ("data", array([1, 2], "<f8"))]),
                            "entry 1: (1, 2) is outside of 2 x 2"),
            "indptr.npz": (npz([csr, shape, ("indices", array([0, 1], "<i4")),
                                ("indptr", array([0, 3, 2], "<i4")),
                                ("data", array([1, 2], "<f8"))]), "indptr"),
            "inf.npz": (npz([csr, shape, ("indices", array([0, 1], "<i4")),
                             ("indptr", array([0, 1, 2], "<i4")),
                             ("data", array([1, float("inf")], "<f8"))]),
                        "entry 1: the rating is not finite")}
        for name, (content, says) in cases.items():
            with self.subTest(name=name):
                self.write(name, content)
                self.refuse_recommend(name, "--method", "bias", says=(name, says))
        self.refuse_recommend("nowhere.csv", says="nowhere.csv: No such file")

    def test_every_mutilation_is_refused_or_read(self):
        """Bytes of a .npz file cut off or changed: an answer or one line, never a crash."""
        good = scipy_npz(planted(4, 4, 1), 4, 4)
        for k in range(0, len(good), 37):
            for content in (good[:k], good[:k] + bytes([good[k] ^ 255]) + good[k + 1:]):
                self.write("m.npz", content)
                process = self.run_tool("recommend", "m.npz", "--method", "bias")
                self.assertIn(process.returncode, (0, 2), (k, process.stderr))
                if process.returncode == 2:
                    self.assertRegex(process.stderr.decode(), r"\Acarroll: [^\n]+\n\Z")


if __name__ == "__main__":
    main()
