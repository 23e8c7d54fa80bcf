# SPDX-License-Identifier: MIT
"""The summary of a run, the crossover judge and the checker, on what is made up here."""
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parent / "peers")]
import crossover_test  # noqa: E402
import results  # noqa: E402


def fit(rep, seconds, **more):
    return {"case": "b/t/rows/seed:0", "section": "b", "task": "t", "variant": "rows", "seed": 0, "n": 1000, "d": 10,
            "k": 4, "scale": 1, "threads": 2, "backend": "cpu", "rep": rep, "cold": rep == 0, "seconds": seconds,
            "n_iter": 12, "assignments": 13, "n_rechecked": 26, "n_skipped": 650, "inertia": 5.0, **more}


def run_of(*groups):
    return {"schema": results.SCHEMA, "checks": [], "processes": [
        {"key": f"{number}", "case": group[0].get("case"), "engine": "cpu", "round": number, "status": "ok",
         "process_peak_bytes": 1000 + number, "records": list(group)} for number, group in enumerate(groups)]}


LIMITS = [{"case": "limits", "probe": "limits", "threads": 2, "multiply_add_flops": 1e9, "read_bytes_per_second": 1e9}]


class Summary(unittest.TestCase):
    def test_cold_and_warm_are_apart(self):
        row = results.summarise(run_of([fit(0, 9.0), fit(1, 1.0), fit(2, 3.0), fit(3, 2.0)]))[0]
        self.assertEqual((row["cold_seconds"], row["warm_seconds"], row["repetitions"]), (9.0, 2.0, 3))
        self.assertEqual(row["rechecked_share"], 26 / 13000)
        self.assertEqual(row["skipped_share"], 650 / (13000 * row["k"]))
        self.assertEqual((row["nk_bytes"], row["nkd_bytes"]), (16000, 160000))

    def test_limits_are_those_of_the_run(self):
        row = results.summarise(run_of(LIMITS, [fit(0, 9.0), fit(1, 2.0)]))[0]
        self.assertEqual(row["bound_by"], "fma")
        self.assertAlmostEqual(row["limit_seconds"], 2 * 1000 * 10 * 4 * 12 / 1e9)
        self.assertAlmostEqual(row["fraction_of_limit"], row["limit_seconds"] / 2)

    def test_what_no_meter_measured_is_absent(self):
        row = results.summarise(run_of([fit(0, 9.0), fit(1, 2.0)]))[0]
        for key in ("peak_bytes", "heap_bytes", "fraction_of_limit", "seeding_seconds"):
            self.assertNotIn(key, row)

    def test_a_case_past_its_limit_is_a_row(self):
        ended = fit(1, 1.0, status="limit")
        del ended["seconds"]
        row = results.summarise(run_of([fit(0, 50.0), ended]))[0]
        self.assertEqual((row["status"], row["cold_seconds"]), ("limit", 50.0))
        self.assertNotIn("warm_seconds", row)

    def test_the_best_inertia_of_a_section_is_one(self):
        rows = results.summarise(run_of([fit(1, 1.0)], [fit(1, 1.0, case="b/t/rows/seed:1", seed=1, inertia=6.0)]))
        self.assertEqual([row["inertia_ratio"] for row in rows], [1.0, 1.2])

    def test_the_best_inertia_is_the_checker_s_over_engines(self):
        run = run_of([fit(1, 1.0, section="peers")], [fit(1, 1.0, section="peers")])
        del run["processes"][1]["records"][0]["inertia"]  # other libraries do not say
        run["processes"][1]["engine"] = "faiss"
        run["checks"] = [{"case": "b/t/rows/seed:0", "engine": "faiss", "checked_inertia": 4.0},
                         {"case": "b/t/rows/seed:0", "engine": "cpu", "checked_inertia": 5.0}]
        self.assertEqual([row["inertia_ratio"] for row in results.summarise(run)], [1.25, 1.0])

    def test_one_candidate_is_credited_as_one(self):
        row = {"n": 10, "d": 3, "k": 20, "section": "peers", "variant": "greedy", "n_iter": 0}
        self.assertEqual([results.useful_work({**row, "engine": engine})[0] for engine in ("faiss", "onedal", "sklearn")],
                         [2 * 30 * 20, 2 * 30 * 20, 2 * 30 * 20 * 4])

    def test_threads_that_were_busy_are_measured(self):
        row = results.summarise(run_of([fit(1, 2.0, cpu_seconds=3.0)]))[0]
        self.assertEqual(row["threads_busy"], 1.5)

    def test_peaks_are_those_of_the_processes_that_ran_the_case(self):
        rows = results.summarise(run_of([fit(1, 1.0)], [fit(1, 1.0, case="b/t/rows/seed:1", seed=1)]))
        self.assertEqual([row["process_peak_bytes"] for row in rows], [1000, 1001])

    def test_probes_have_a_line_for_each_thing_timed(self):
        rows = results.probed(run_of([{"case": "phases/t", "phase": phase, "rep": rep, "seconds": rep + 1.0}
                                      for phase in ("assign", "finish") for rep in range(4)]))
        self.assertEqual([(row["phase"], row["cold_seconds"], row["warm_seconds"], row["repetitions"]) for row in rows],
                         [("assign", 1.0, 3.0, 3), ("finish", 1.0, 3.0, 3)])

    def test_bits_that_differ_are_found(self):
        same = run_of([fit(0, 1.0)], [fit(1, 1.0)])
        self.assertEqual(results.disagreements(same), [])
        self.assertEqual(results.disagreements(run_of([fit(0, 1.0)], [fit(1, 1.0, inertia=5.000001)])),
                         ["b/t/rows/seed:0"])
        self.assertEqual(results.disagreements(run_of([fit(0, 1.0)], [fit(1, 1.0, inertia=4.0, n_iter=11)])),
                         ["b/t/rows/seed:0"])


def cell(d, k, scatter, hot, taken):
    shared = {"case": f"crossover/update/d:{d}", "probe": "crossover", "d": d, "k": k, "rep": 1, "one_hot_factor": 16,
              "rule_takes_one_hot": taken}
    return [{**shared, "way": "scatter-add", "seconds": scatter}, {**shared, "way": "one-hot", "seconds": hot}]


class Crossover(unittest.TestCase):
    RULE = {"one_hot_factor": 16, "fused_up_to": 12}

    def test_a_good_rule_passes(self):
        run = run_of(cell(1000, 2, 3.0, 1.0, True) + cell(2, 512, 1.0, 9.0, False))
        self.assertEqual(crossover_test.judge(run, self.RULE), (2, []))

    def test_a_miss_away_from_the_boundary_is_found(self):
        judged, complaints = crossover_test.judge(run_of(cell(1000, 2, 1.0, 1.6, True)), self.RULE)
        self.assertEqual((judged, len(complaints)), (1, 1))

    def test_a_miss_at_the_boundary_is_not(self):
        self.assertEqual(crossover_test.judge(run_of(cell(100, 6, 1.0, 2.0, True)), self.RULE), (0, []))

    def test_other_constants_are_held_against_the_same_times(self):
        run = run_of(cell(1000, 2, 3.0, 1.0, True))
        self.assertEqual(len(crossover_test.judge(run, {**self.RULE, "one_hot_factor": 10000})[1]), 1)

    def test_another_rule_is_noticed(self):
        self.assertEqual(len(crossover_test.judge(run_of(cell(1000, 2, 3.0, 1.0, False)), self.RULE)[1]), 1)


try:
    import numpy
except ImportError:
    numpy = None


@unittest.skipIf(numpy is None, "numpy is not installed")
class Checker(unittest.TestCase):
    def test_ties_go_to_the_lowest_and_near_ties_to_d(self):
        import checker
        x = numpy.array([[0, 0], [1, 0], [0.5, 0], [2, 2]], dtype=numpy.float32)
        c = numpy.array([[0, 0], [1, 0]], dtype=numpy.float32)
        of = checker.Checker(c)
        self.assertEqual(of.wrong(x, numpy.array([0, 1, 0, 1])), 0)
        self.assertEqual(of.wrong(x, numpy.array([0, 1, 1, 1])), 1)
        self.assertEqual(of.wrong(x, numpy.array([1, 0, 0, 5])), 3)
        self.assertEqual(of.settled_by_d, 3)

    def test_it_agrees_with_d_on_rows_far_from_zero(self):
        import checker
        dice = numpy.random.default_rng(0)
        x = (dice.integers(0, 8, (300, 5)) + 1e6).astype(numpy.float32)
        c = (dice.integers(0, 8, (9, 5)) + 1e6).astype(numpy.float32)
        right = numpy.array([min(range(9), key=lambda j: (checker.exact_distance(row, c[j]), j)) for row in x])
        self.assertEqual(checker.Checker(c).wrong(x, right), 0)
        self.assertEqual(checker.Checker(c).wrong(x, (right + 1) % 9), 300)


if __name__ == "__main__":
    unittest.main()
