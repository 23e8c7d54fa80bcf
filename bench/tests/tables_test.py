# SPDX-License-Identifier: MIT
"""The tables of a run made up here: what stands in them, what is left out, and that the check of a page notices."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import results  # noqa: E402
import tables  # noqa: E402

SHAPES = {"small": (1000, 10, 4), "words-weak": (2000, 8, 5), "words-separated": (2000, 8, 5)}


def fit(section, task, engine="cpu", variant="rows", seconds=1.0, **more):
    """A process of one warm repetition."""
    n, d, k = SHAPES[task]
    case = f"{section}/{task}/{variant}/seed:0"
    record = {"case": case, "section": section, "task": task, "variant": variant, "seed": 0, "n": n, "d": d, "k": k,
              "scale": 1, "threads": 2, "rep": 1, "cold": False, "n_iter": 12, "inertia": 5.0, "seconds": seconds,
              **more}
    return {"key": f"{case}|{engine}|0", "case": case, "engine": engine, "round": 0, "status": "ok",
            "records": [{key: value for key, value in record.items() if value is not None}]}


def probe(case, *records):
    return {"key": case, "case": case, "engine": "cpu", "round": 0, "status": "ok",
            "records": [{"case": case, "rep": 1, **record} for record in records]}


def run_of(*processes, checks=()):
    return {"schema": results.SCHEMA, "settings": {"limit": 60.0}, "checks": list(checks), "processes": list(processes)}


def lines(name, *runs):
    """The rows of a table as lists of cells, without the line of dashes."""
    text = tables.TABLES[name](*map(tables.Run, runs))
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in text.splitlines()]
    return rows[:1] + rows[2:]


class Tables(unittest.TestCase):
    def test_fits_name_the_fastest_peer_and_the_memory(self):
        run = run_of(fit("peers", "small", "lloyd", seconds=0.00005, peak_bytes=1e6),
                     fit("peers", "small", "onedal", seconds=0.75, peak_bytes=3e6),
                     fit("peers", "small", "sklearn", seconds=0.0001234, peak_bytes=2e6))
        self.assertEqual(lines("fits", run), [
            ["n x d, k", "lloyd", "fastest peer", "lloyd is", "scikit-learn", "oneDAL",
             "warm calls of lloyd, spread", "peak above the input, MB: lloyd; peers"],
            ["1,000 x 10, 4", "0.0000500", "scikit-learn 0.0001234", "2.5x", "0.0001234", "0.75", "1", "1; 2 to 3"]])

    def test_a_loss_is_not_rounded_to_a_draw(self):
        run = run_of(fit("peers", "small", "lloyd"), fit("peers", "small", "onedal", seconds=0.96))
        self.assertEqual(lines("fits", run)[1][3], "0.96x")

    def test_a_first_call_alone_says_so(self):
        run = run_of(fit("peers", "small", "lloyd", rep=0, cold=True), fit("peers", "small", "faiss"))
        self.assertEqual(lines("fits", run)[1][1], "1 (first call)")

    def test_warm_calls_are_counted_with_their_spread(self):
        run = run_of(fit("peers", "small", "lloyd"), fit("peers", "small", "lloyd", seconds=2.0))
        self.assertEqual(lines("fits", run)[1][2], "2, 67 %")

    def test_a_case_past_its_limit_says_so(self):
        run = run_of(fit("peers", "small", "lloyd"), fit("peers", "small", "faiss", seconds=None, status="limit"))
        self.assertEqual(lines("fits", run), [["n x d, k", "lloyd", "FAISS", "warm calls of lloyd, spread"],
                                              ["1,000 x 10, 4", "1", "past 60 s", "1"]])

    def test_without_peers_the_library_stands_alone(self):
        run = run_of(fit("b", "small", peak_bytes=2e6), fit("b", "small", "cpu-avx2", seconds=9.0))
        self.assertEqual(lines("fits", run), [["n x d, k", "lloyd", "warm calls of lloyd, spread",
                                               "peak above the input, MB"], ["1,000 x 10, 4", "1", "1", "2"]])

    def test_tasks_of_one_shape_are_told_apart(self):
        run = run_of(fit("b", "small"), fit("b", "words-weak"), fit("b", "words-separated"))
        self.assertEqual([line[0] for line in lines("limits", run)[1:]],
                         ["1,000 x 10, 4", "2,000 x 8, 5, weak", "2,000 x 8, 5, separated"])

    def test_inertia_is_over_that_of_lloyd(self):
        run = run_of(fit("peers", "small", "lloyd", "greedy"), fit("peers", "small", "sklearn", "greedy", inertia=6.0))
        self.assertEqual(lines("greedy", run), [["n x d, k", "lloyd (greedy)", "scikit-learn (greedy)"],
                                                ["1,000 x 10, 4", "1", "1 (1.2000)"]])

    def test_labels_are_those_that_were_checked(self):
        case = "peers/small/rows/seed:0"
        run = run_of(fit("peers", "small", "lloyd"), fit("peers", "small", "faiss"),
                     fit("peers", "words-weak", "lloyd"),
                     checks=[{"case": case, "engine": "lloyd", "wrong_labels": 0, "wrong_labels_moved": 0},
                             {"case": case, "engine": "faiss", "wrong_labels": 1234, "check_moved": "limit"}])
        self.assertEqual(lines("labels", run), [["n x d, k", "lloyd", "FAISS"], ["1,000 x 10, 4", "0; 0", "1,234; -"]])

    def test_limits_are_those_of_the_run(self):
        machine = {"probe": "limits", "threads": 2, "multiply_add_flops": 1e6, "read_bytes_per_second": 1e9}
        run = run_of(probe("limits/machine", machine),
                     fit("b", "small", seconds=1.92, assignments=13, n_rechecked=26, n_skipped=13000))
        self.assertEqual(lines("limits", run)[1], ["1,000 x 10, 4", "1.92", "50 %", "multiply-adds", "25 %", "0.2 %"])

    def test_phases_add_up(self):
        run = run_of(fit("e", "small", variant="greedy", survey_seconds=0.1, seeding_seconds=0.5, loop_seconds=0.3,
                         finish_seconds=0.1))
        self.assertEqual(lines("phases", run)[1], ["1,000 x 10, 4", "0.1", "0.5", "0.3", "0.1", "50 %"])

    def test_exactness_is_a_ratio(self):
        shape = dict(zip("ndk", SHAPES["small"]), task="small", phase="first iteration")
        run = run_of(probe("exactness/small", {**shape, "way": "exact", "seconds": 3.0},
                           {**shape, "way": "loose", "seconds": 2.0}))
        self.assertEqual(lines("exactness", run), [["n x d, k", "first iteration"], ["1,000 x 10, 4", "1.50"]])

    def test_threads_of_a_run_and_of_two(self):
        shape = {"axis": "threads", "n": 100, "d": 2, "k": 3}
        run = run_of(probe("scaling/threads", {**shape, "threads": 1, "seconds": 3.0},
                           {**shape, "threads": 2, "seconds": 2.0}))
        self.assertEqual(lines("threads", run), [["n x d, k", "1 thread", "2 threads", "speed-up"],
                                                 ["100 x 2, 3", "3", "2", "1.50x"]])
        alone, both = run_of(fit("b", "small", seconds=4.0, threads=1)), run_of(fit("b", "small", seconds=2.0))
        self.assertEqual(lines("threads", alone, both)[1], ["1,000 x 10, 4", "4", "2", "2.00x"])

    def test_what_a_run_lacks_is_said(self):
        for make in tables.TABLES.values():
            self.assertEqual(make(tables.Run(run_of())), tables.NOTHING)


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "here").mkdir()
        (self.root / "here/full.json").write_text(json.dumps(run_of(fit("b", "small"))))
        self.page = self.root / "page.md"
        self.page.write_text("Before.\n\n<!-- table: fits here -->\nold\n<!-- end -->\n\nAfter.\n")

    def tables(self, *more):
        return subprocess.run([sys.executable, HERE.parent / "tables.py", f"--page={self.page}",
                               f"--results={self.root}", *more], capture_output=True, text=True, check=False)

    def test_a_page_is_found_wrong_then_written_then_right(self):
        found = self.tables("--check")
        self.assertEqual(found.returncode, 1)
        self.assertIn("-old\n+| n x d, k | lloyd | warm calls of lloyd, spread |\n", found.stdout)
        self.assertEqual(self.tables().returncode, 0)
        self.assertEqual(self.page.read_text(), "Before.\n\n<!-- table: fits here -->\n"
                         "| n x d, k | lloyd | warm calls of lloyd, spread |\n| --- | --- | --- |\n"
                         "| 1,000 x 10, 4 | 1 | 1 |\n<!-- end -->\n\nAfter.\n")
        self.assertEqual(self.tables("--check").returncode, 0)
        self.page.write_text(self.page.read_text().replace("| 1 |", "| 2 |"))
        self.assertEqual(self.tables("--check").returncode, 1)

    def test_wrong_marks_are_refused(self):
        for wrong, sentence in (("<!-- table: fits there -->\n<!-- end -->\n", "a table of there"),
                                ("<!-- table: fit here -->\n<!-- end -->\n", "none of fits, greedy"),
                                ("<!-- table: fits here here -->\n<!-- end -->\n", "none of fits, greedy"),
                                ("<!-- table: fits here -->\n", "has no <!-- end -->"),
                                ("<!-- table: fits here -->\n<!-- table: labels here -->\n<!-- end -->\n",
                                 "has no <!-- end -->")):
            self.page.write_text(wrong)
            found = self.tables()
            self.assertEqual(found.returncode, 1)
            self.assertIn(sentence, found.stderr)
            self.assertEqual(self.page.read_text(), wrong)


if __name__ == "__main__":
    unittest.main()
