# SPDX-License-Identifier: MIT
"""What got slower from one run to another by more than the noise of both.

    python3 bench/compare.py A.json B.json [--floor 0.05] [--all]

Exit code: 0 nothing got slower, 1 something did, 2 the runs cannot be compared. A case is slower when all of this
holds: its typical time rose by more than the floor, by more than the noise of both runs added up, and by more than the
machine's limit that binds it is seen to have changed between them; and no process of B was as fast as a process of A,
the slowest of four or more of each left out. The noise of a case in a run is its own, or what is usual in that run
where that is more: a few processes may agree by chance. Other libraries in a run are not judged.
Of runs in turn (run.py --against) each process is compared with the one beside it, and noise is how far these ratios
lie apart: what slows the machine slows both.
"""
import argparse
import sys

import results

# Fewer repetitions or processes than this tell nothing about noise, and then nothing is claimed.
LEAST_REPETITIONS = 3
LEAST_PROCESSES = 3
LEAST_IN_TURN = 5
METERS = ("multiply_add_flops", "read_bytes_per_second")
PEERS = set(results.ENGINES) - {"lloyd"}  # other libraries: their times are not judged


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", help="the run before")
    parser.add_argument("b", help="the run after")
    parser.add_argument("--floor", type=float, default=0.05, help="the least rise that counts (0.05: five per cent)")
    parser.add_argument("--all", action="store_true", help="show every case")
    return parser.parse_args(argv)


class Timed:
    """One thing that was timed: what each process of the run needed for it."""

    def __init__(self):
        self.processes = {}

    def add(self, process, seconds):
        self.processes.setdefault(process, []).append(seconds)

    @property
    def repetitions(self):
        return sum(len(times) for times in self.processes.values())

    def least(self):
        """The fastest repetition of each process, sorted: what disturbs a machine only ever adds time. Of four
        processes or more the slowest is left out, so that one bad moment decides nothing."""
        times = sorted(min(times) for times in self.processes.values())
        return times[:-1] if len(times) >= 4 else times

    def typical(self):
        return results.median([min(times) for times in self.processes.values()])

    def ratios(self, before):
        """Process by process against a run whose processes took turns with these, sorted."""
        return sorted(min(times) / min(before.processes[key]) for key, times in self.processes.items()
                      if key in before.processes)

    def noise(self):
        """How far the processes lie apart, and the typical process's repetitions, as a share; the larger of them."""
        least = self.least()
        between = (least[-1] - least[0]) / self.typical()
        within = results.median([results.spread(times) or 0 for times in self.processes.values()])
        return max(between, within / 2)


def timed_of(run):
    """{what: Timed}: warm repetitions of every case, and of each phase where the case tells phases apart."""
    found = {}
    for record in results.records(run):
        if record.get("cold", record.get("rep") == 0) or "seconds" not in record or record.get("kind") == "after":
            continue
        if record["engine"] in PEERS:
            continue
        what = results.identity(record)
        columns = [("seconds", "")] + [(key, key.removesuffix("_seconds")) for key in results.PHASES]
        for key, phase in columns:
            if record.get(key, 0) > 0:
                name = what + ((("timed", phase),) if phase else ())
                found.setdefault(name, Timed()).add(record["process"], record[key])
    return found


def machine_change(a, b, k=None):
    """How much slower the machine of B is seen to be, by its own limits; 0 where it is not. With k clusters by the one
    that binds a fit: it reads 4 bytes for 2 k operations."""
    before, after = results.limits(a), results.limits(b)
    worst = 1.0
    for threads in before.keys() & after.keys():
        flops, reads = METERS
        binding = flops if k and 2 * k / before[threads][flops] > 4 / before[threads][reads] else reads
        for meter in (binding,) if k else METERS:
            worst = max(worst, before[threads][meter] / after[threads][meter])
    return worst - 1


def name_of(what):
    known = dict(what)
    parts = [str(known.pop("case"))] + [str(known.pop(key)) for key in ("timed",) if key in known]
    engine = known.pop("engine", None)
    if "phase" in known:
        parts.append(known.pop("phase"))
    for key in ("n", "d", "k", "threads"):
        if not str(parts[0]).startswith(("crossover", "scaling")) or key == "threads":
            known.pop(key, None)
    return "  ".join(parts + [f"{key} {value}" for key, value in known.items()] + ([engine] if engine else []))


def usual_noise(timed):
    """The noise of the middle case of a run, of those that were measured often enough to tell."""
    return results.median([one.noise() for one in timed.values() if len(one.processes) >= LEAST_PROCESSES]) or 0.0


def measured_enough(*timed, processes=LEAST_PROCESSES):
    return all(one.repetitions >= LEAST_REPETITIONS and len(one.processes) >= processes for one in timed)


def verdict(before, after, usual, least):
    """(ratio, what it had to exceed, whether it counts: True, False, or None where too little was measured)."""
    ratio = after.typical() / before.typical()
    needed = max(least, max(before.noise(), usual[0]) + max(after.noise(), usual[1]))
    apart = after.least()[0] > before.least()[-1]
    return ratio, needed, (ratio > 1 + needed and apart) if measured_enough(before, after) else None


def in_turn(a, b):
    """Whether the processes of both runs took turns (run.py --against)."""
    return bool(a.get("pair")) and a.get("pair") == b.get("pair")


def width(ordered):
    """How far sorted ratios lie apart; of five or more without both ends."""
    middle = ordered[1:-1] if len(ordered) >= 5 else ordered
    return middle[-1] - middle[0]


def compare_in_turn(before, after, floor):
    """The same for runs in turn: a process of B against the one of A beside it, so that the machine's moods cancel."""
    shared = [what for what in before if what in after and after[what].ratios(before[what])]
    ratios = {what: after[what].ratios(before[what]) for what in shared}
    noise = {what: width(ratios[what]) for what in shared}
    usual = results.median(list(noise.values())) or 0.0
    rows = []
    for what in shared:
        ratio, needed = results.median(ratios[what]), max(floor, noise[what], usual)
        enough = measured_enough(before[what], after[what], processes=LEAST_IN_TURN)
        rows.append((what, ratio, needed, (ratio > 1 + needed and ratios[what][0] > 1) if enough else None))
    return rows


def compare(a, b, floor=0.05):
    """[(what, ratio, needed, counts)], the slowest first."""
    before, after = timed_of(a), timed_of(b)
    if in_turn(a, b):
        rows = compare_in_turn(before, after, floor)
    else:
        usual = (usual_noise(before), usual_noise(after))
        least = {k: max(floor, machine_change(a, b, k)) for k in {dict(what).get("k") for what in before}}
        rows = [(what, *verdict(before[what], after[what], usual, least[dict(what).get("k")]))
                for what in before if what in after]
    return sorted(rows, key=lambda row: -row[1])


def refused(a, b):
    """Why two runs cannot be compared, or nothing."""
    for key in ("scale", "threads"):
        if a["settings"][key] != b["settings"][key]:
            return f"{key} {a['settings'][key]} against {b['settings'][key]}"
    for key in ("cpu", "cores"):
        if a["machine"][key] != b["machine"][key]:
            return f"another machine: {a['machine'][key]} against {b['machine'][key]}"
    return None


def lost(a, b):
    """Cases that ended well in A and did not in B: past the limit, or failed."""
    ended = [{process["key"]: process["status"] for process in run["processes"]} for run in (a, b)]
    return [key for key, status in ended[0].items() if status == "ok" and ended[1].get(key, "ok") != "ok"]


def absent(a, b):
    """How many cases of this library A has and B has not."""
    mine = [{process["case"] for process in run["processes"] if process["engine"] not in PEERS} for run in (a, b)]
    return len(mine[0] - mine[1])


def main(argv=None):
    args = arguments(argv)
    a, b = results.load(args.a), results.load(args.b)
    if why := refused(a, b):
        print(f"cannot be compared: {why}")
        return 2
    rows = compare(a, b, args.floor)
    if not any(counts is not None for *_, counts in rows):
        print("nothing that both runs measured often enough: at least "
              f"{LEAST_REPETITIONS} repetitions in {LEAST_PROCESSES} processes ({LEAST_IN_TURN} of runs in turn)")
        return 2
    gone = lost(a, b)
    for key in gone:
        print(f"ended in A, not in B: {key.replace('|', '  ')}")
    slower = [row for row in rows if row[3]]
    for what, ratio, needed, counts in rows if args.all else slower:
        mark = {True: "SLOWER", False: "", None: "too little measured"}[counts]
        print(f"{ratio:6.3f}x (noise {needed:.1%})  {name_of(what)}  {mark}")
    if (change := machine_change(a, b)) > args.floor and not in_turn(a, b):
        print(f"note: the machine itself measured up to {change:.0%} slower in B; rises below that do not count")
    if (needed := results.median([row[2] for row in rows])) > 0.2:
        print(f"note: so noisy that a rise of less than {needed:.0%} could not be told; the machine was busy")
    if missing := absent(a, b):
        print(f"note: {missing} cases of A are not in B")
    judged = sum(counts is not None for *_, counts in rows)
    typical = results.median([row[1] for row in rows])
    print(f"{len(slower)} slower of {judged} judged; {len(rows) - judged} measured too little; "
          f"typical ratio {typical:.3f}")
    return 1 if slower or gone else 0


if __name__ == "__main__":
    sys.exit(main())
