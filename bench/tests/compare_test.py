# SPDX-License-Identifier: MIT
"""compare.py on runs made up here: what it must report, and what it must not."""
import copy
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import compare  # noqa: E402
import results  # noqa: E402

PHASES = ("survey", "assign", "accumulate", "seed step", "finish")


def made_up(seed, slowed=None, factor=1.0, noise=0.02, processes=3, repetitions=5, cases=30):
    """A run of the phase probe: times of 1 to 50 ms with noise that only adds, of a process and of a repetition."""
    dice = random.Random(seed)
    run = {"schema": results.SCHEMA, "settings": {"scale": 1, "threads": 2}, "checks": [],
           "machine": {"cpu": "made up", "cores": 2}, "processes": []}
    for turn in range(processes):
        for case in range(cases):
            records = []
            for number, phase in enumerate(PHASES):
                usual = 0.001 * (1 + (case * 7 + number * 13) % 50) * (1 + noise * dice.random())
                if slowed == (case, phase):
                    usual *= factor
                records += [{"case": f"phases/{case}", "phase": phase, "rep": rep, "threads": 2,
                             "seconds": usual * (1 + dice.expovariate(1 / noise))} for rep in range(repetitions + 1)]
            run["processes"].append({"key": f"phases/{case}|cpu|{turn}", "case": f"phases/{case}", "engine": "cpu",
                                     "round": turn, "status": "ok", "records": records})
    return run


def add_limits(run, speed):
    record = {"probe": "limits", "threads": 2, "multiply_add_flops": 1e11 * speed, "read_bytes_per_second": 1e10}
    run["processes"].append({"key": "limits", "case": "limits", "engine": "cpu", "round": 0, "status": "ok",
                             "records": [record]})
    return run


def slower(a, b):
    return [dict(what) for what, _, _, counts in compare.compare(a, b) if counts]


class Compare(unittest.TestCase):
    def test_a_planted_fifth_is_reported_and_nothing_else(self):
        for seed in range(10):
            found = slower(made_up(seed), made_up(1000 + seed, slowed=(11, "assign"), factor=1.2))
            self.assertEqual([(row["case"], row["phase"]) for row in found], [("phases/11", "assign")])

    def test_the_same_build_is_never_reported(self):
        for seed in range(10):
            self.assertEqual(slower(made_up(seed), made_up(1000 + seed)), [])

    def test_runs_in_turn_are_compared_process_by_process(self):
        for seed in range(10):
            # The machine's mood changes from round to round by up to a half, for both runs alike.
            a = made_up(seed, processes=7)
            same = made_up(1000 + seed, processes=7)
            slow = made_up(2000 + seed, processes=7, slowed=(11, "assign"), factor=1.2)
            for run in (a, same, slow):
                run["pair"] = "x"
                for process in run["processes"]:
                    for record in process["records"]:
                        record["seconds"] *= 1 + process["round"] % 4 / 6
            self.assertEqual(slower(a, same), [])
            self.assertEqual([(row["case"], row["phase"]) for row in slower(a, slow)], [("phases/11", "assign")])

    def test_other_libraries_are_not_judged(self):
        a, b = made_up(1), made_up(2, slowed=(3, "assign"), factor=3)
        for run in (a, b):
            for process in run["processes"]:
                process["engine"] = "faiss"
        self.assertEqual(compare.compare(a, b), [])

    def test_only_the_limit_that_binds_excuses(self):
        def runs(k):
            a, b = add_limits(made_up(1), 1), add_limits(made_up(2, slowed=(3, "assign"), factor=1.6), 1)
            b["processes"][-1]["records"][0]["read_bytes_per_second"] /= 2
            for run in (a, b):
                for process in run["processes"][:-1]:
                    for record in process["records"]:
                        record["k"] = k
            return a, b
        self.assertEqual(slower(*runs(2)), [])  # bound by reads
        self.assertEqual(len(slower(*runs(500))), 1)  # by multiply-adds

    def test_what_got_faster_is_not_reported(self):
        self.assertEqual(slower(made_up(1), made_up(2, slowed=(3, "finish"), factor=0.5)), [])

    def test_noise_as_large_as_the_rise_hides_it(self):
        self.assertEqual(slower(made_up(1, noise=0.4), made_up(2, slowed=(11, "assign"), factor=1.2, noise=0.4)), [])

    def test_one_process_is_too_little(self):
        rows = compare.compare(made_up(1, processes=1), made_up(2, processes=1, slowed=(1, "assign"), factor=3))
        self.assertEqual({counts for *_, counts in rows}, {None})

    def test_a_slower_machine_is_not_a_slower_library(self):
        a, b = add_limits(made_up(1), 1.0), add_limits(made_up(2, slowed=(11, "assign"), factor=1.2), 0.7)
        self.assertEqual(slower(a, b), [])
        self.assertAlmostEqual(compare.machine_change(a, b), 1 / 0.7 - 1)

    def test_a_case_that_no_longer_ends_is_reported(self):
        a, b = made_up(1), made_up(1)
        b["processes"][4]["status"] = "limit"
        self.assertEqual(compare.lost(a, b), [a["processes"][4]["key"]])

    def test_phases_of_a_fit_are_told_apart(self):
        a = made_up(1, cases=1)
        for process in a["processes"]:
            process["records"] = [{"case": "e/x", "cold": rep == 0, "rep": rep, "seconds": 1.0 + rep / 1000,
                                   "loop_seconds": 0.5, "survey_seconds": 0.1} for rep in range(6)]
        b = copy.deepcopy(a)
        for process in b["processes"]:
            for record in process["records"]:
                record["survey_seconds"] *= 1.2
        self.assertEqual([row["timed"] for row in slower(a, b)], ["survey"])

    def test_another_machine_is_refused(self):
        a, b = made_up(1), made_up(2)
        b["machine"]["cores"] = 64
        self.assertIn("another machine", compare.refused(a, b))


if __name__ == "__main__":
    unittest.main()
