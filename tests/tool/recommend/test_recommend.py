# SPDX-License-Identifier: BSD-3-Clause
"""carroll recommend: methods, tests, lists and models."""

import math
import zipfile

from ratings import METHODS, RecommendTest, baseline, planted, text_of
from tool import main


class Recommend(RecommendTest):

    def test_biases_by_hand(self):
        rows = planted()
        train, test = rows[:900], rows[900:]
        self.write("train.csv", text_of(train))
        self.write("test.csv", text_of(test))
        mean, bu, bi = baseline(train, 60, 40)
        lowest, highest = min(r for _, _, r in train), max(r for _, _, r in train)
        errors = [min(max(mean + bu[u] + bi[i], lowest), highest) - r for u, i, r in test]
        report = self.report("train.csv", "--method", "bias", "--test", "test.csv", "--precision",
                             "double", "--users", "u7,u0", "--top", "4")
        self.assertEqual((report["users"], report["items"], report["ratings"], report["factors"]),
                         (60, 40, 900, 0))
        self.assertEqual(report["test"]["count"], len(test))
        self.assertAlmostEqual(report["test"]["rmse"],
                               math.sqrt(sum(e * e for e in errors) / len(errors)), places=12)
        self.assertAlmostEqual(report["test"]["mae"], sum(map(abs, errors)) / len(errors),
                               places=12)
        seen = {(u, i) for u, i, _ in train}
        for entry, u in zip(report["recommendations"], (7, 0)):
            best = sorted((-bi[i], i) for i in range(40) if (u, i) not in seen)[:4]
            self.assertEqual(entry["user"], "u%d" % u)
            self.assertFalse(entry["cold"])
            self.assertEqual([item["item"] for item in entry["items"]],
                             ["film %d" % i for _, i in best])
            for item, (b, _) in zip(entry["items"], best):
                self.assertAlmostEqual(item["score"], mean + bu[u] - b, places=12)

    def test_every_method_finds_what_is_planted(self):
        rows = planted(120, 80)
        self.write("train.csv", text_of(rows[:3600]))
        self.write("test.csv", text_of(rows[3600:]))
        errors = {}
        for method in METHODS:
            with self.subTest(method=method):
                factors = ["--factors", "4"] if method not in ("knn", "bias") else []
                # The default is for ratings with more noise than these have.
                factors += ["--regularization", "0.01"] if method == "als" else []
                report = self.report("train.csv", "--method", method, "--test", "test.csv",
                                     "--users", "u3", *factors)
                self.assertEqual((report["status"], report["method"]), ("success", method))
                self.assertEqual(report["factors"], 4 if factors else 0)
                self.assertEqual(len(report["recommendations"][0]["items"]), 10)
                ranking = report["test"]["ranking"]
                self.assertEqual((ranking["at"], ranking["users"]), (10, 120))
                for measure in ("precision", "recall", "map", "ndcg", "hit_rate"):
                    self.assertGreater(ranking[measure], 0)
                    self.assertLessEqual(ranking[measure], 1)
                errors[method] = report["test"]["rmse"]
        # The noise is 0.1, and rounding to tenths adds 0.03.
        self.assertLess(errors["als"], .15)
        self.assertLess(errors["gibbs"], .15)
        for method in METHODS:
            if method != "bias":
                self.assertLess(errors[method], errors["bias"], method)

    def test_objectives_fall(self):
        self.write("train.csv", text_of(planted()))
        for method in ("als", "sgd"):
            report = self.report("train.csv", "--method", method, "--factors", "3",
                                 "--iterations", "8")
            steps = report["iterations"]
            self.assertEqual(len(steps), 8)
            objectives = [step["objective"] for step in steps]
            if method == "als":
                self.assertEqual(objectives, sorted(objectives, reverse=True))
                self.assertLess(report["residual"], 1e-4)
            self.assertLess(objectives[-1], objectives[0])
            self.assertLess(steps[-1]["rmse"], steps[0]["rmse"])

    def test_order_of_lines_and_threads_leave_no_trace(self):
        rows = planted()
        self.write("a.csv", text_of(rows))
        self.write("b.csv", text_of(sorted(rows)))
        for method in METHODS:
            reports = []
            for name, threads in (("a.csv", "1"), ("b.csv", "1"), ("a.csv", "3")):
                report = self.report(name, "--method", method, "--factors", "3", "--hold-out", "0.2",
                                     "--users", "all", "--kokkos-num-threads=" + threads)
                del report["seconds"]
                reports.append(report)
            self.assertEqual(reports[0], reports[1], method)
            self.assertEqual(reports[0], reports[2], method)

    def test_seed(self):
        self.write("a.csv", text_of(planted()))
        one, two = (self.report("a.csv", "--factors", "3", "--hold-out", "0.2", "--seed", seed)
                    for seed in ("1", "2"))
        self.assertNotEqual(one["test"]["count"], two["test"]["count"])

    def test_models(self):
        rows = planted()
        self.write("train.csv", text_of(rows[:900]))
        self.write("test.csv", text_of(rows[900:]))
        for precision in ("single", "double"):
            options = ["--test", "test.csv", "--users", "u5", "--precision", precision]
            first = self.report("train.csv", "--factors", "3", "-o", "m", *options)
            self.assertEqual(self.files(), ["m_items.csv", "m_model.npz", "test.csv", "train.csv"])
            with zipfile.ZipFile(self.path("m_model.npz")) as file:
                self.assertIsNone(file.testzip())
                self.assertEqual(sorted(file.namelist()),
                                 sorted(name + ".npy" for name in
                                        ("U", "V", "user_bias", "item_bias", "mean", "user_ids",
                                         "item_ids")))
                self.assertTrue(file.read("user_ids.npy").endswith(b"u9"))
                self.assertIn(b"'shape': (60, 3)", file.read("U.npy"))
            with open(self.path("m_items.csv")) as file:
                lines = file.read().splitlines()
            self.assertEqual(lines[0], "user,item,score")
            self.assertEqual([line.split(",")[:2] for line in lines[1:]],
                             [["u5", item["item"]]
                              for item in first["recommendations"][0]["items"]])
            again = self.report("train.csv", "--model", "m_model.npz", *options)
            self.assertEqual((again["method"], again["test"], again["recommendations"]),
                             ("model", first["test"], first["recommendations"]))

    def test_broken_models(self):
        self.write("train.csv", text_of(planted()))
        self.report("train.csv", "--factors", "3", "-o", "m")
        with open(self.path("m_model.npz"), "rb") as file:
            good = file.read()
        self.write("short.npz", good[:-30])
        self.write("flipped.npz", good[:200] + bytes([good[200] ^ 1]) + good[201:])
        self.write("other.csv", "user,item,rating\nstranger,film 3,2\n")
        for arguments, says in (
                (("train.csv", "--model", "short.npz"), "short.npz: is truncated"),
                (("train.csv", "--model", "flipped.npz"), "checksum"),
                (("train.csv", "--model", "train.csv"), "train.csv: is no .npz file"),
                (("other.csv", "--model", "m_model.npz"), "line 2: the user is not in the model")):
            self.refuse_recommend(*arguments, says=says)

    def test_who_is_not_known(self):
        self.write("train.csv", text_of(planted()))
        self.write("test.csv", text_of([(999, 3, 4), (4, 999, 2), (4, 3, 2)]))
        for method in METHODS:
            test = self.report("train.csv", "--method", method, "--factors", "2", "--test",
                               "test.csv")["test"]
            self.assertEqual((test["count"], test["cold_users"], test["cold_items"]), (3, 1, 1),
                             method)
        self.refuse_recommend("train.csv", "--users", "u1,nobody", says="has no user 'nobody'")

    def test_implicit(self):
        source = planted(noise=0)
        clicks = [(u, i, 1) for u, i, r in source if r > 3]
        self.write("clicks.csv", text_of(clicks))
        report = self.report("clicks.csv", "--implicit", "--factors", "4", "--hold-out", "0.2",
                             "--confidence", "5")
        # By chance a list of 10 of 40 items would find a quarter.
        self.assertGreater(report["test"]["ranking"]["recall"], .4)
        self.assertIsNone(report["iterations"][0]["rmse"])

    def test_usage(self):
        self.write("a.csv", text_of(planted()))
        for arguments, says in (
                (("--method", "guess"), "none of als, sgd, gibbs, knn, svd, bias"),
                (("--hold-out", "1.5"), "between 0 and 1"),
                (("--hold-out", "0.5", "--test", "a.csv"), "exclude each other"),
                (("--implicit", "--method", "sgd"), "--implicit needs --method als"),
                (("--confidence", "2"), "--confidence needs --implicit"),
                (("--learning-rate", ".1"), "needs --method sgd"),
                (("--neighbours", "4"), "needs --method knn"),
                (("--model", "x.npz", "--factors", "3"), "--factors has no meaning with --model"),
                (("--top", "0"), "from 1"),
                (("-o", "no/where"), "No such file or directory")):
            self.refuse_recommend("a.csv", *arguments, says=says)


if __name__ == "__main__":
    main()
