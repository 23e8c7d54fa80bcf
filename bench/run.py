# SPDX-License-Identifier: MIT
"""Runs the benchmarks: every case in a fresh process, raw repetitions in one JSON, resumable.

    python3 bench/run.py --out build/bench-run/full.json [--scale 0.05] [--sections a,b,...] [--tasks ...] [--peers all]

A run that was stopped goes on where it was when it is started again with the same arguments. bench/README.md defines
every column; plot.py and compare.py read what this writes.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import machine
import results

ROOT = pathlib.Path(__file__).resolve().parents[1]
SECTIONS = ("limits", "a", "b", "c", "d", "e", "phases", "tiles", "exactness", "crossover", "scaling", "peers")
PROGRAMS = ("lloyd-task-mix", "lloyd-probe", "lloyd-peer")
PEERS = {"sklearn": "sklearn_peer.py", "faiss": "faiss_peer.py", "onedal": "onedal_peer.py"}
SPARE_SECONDS = 240  # beyond a case's limit: making or reading its data


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="the run's JSON")
    parser.add_argument("--build", default="build/bench", help="a CMake build with LLOYD_BUILD_BENCHMARKS")
    parser.add_argument("--against", help="a second build, run in turn with the first; its JSON is OUT with -against")
    parser.add_argument("--scale", type=float, default=1.0, help="of the rows of every task")
    parser.add_argument("--threads", type=int, default=0, help="0: all")
    parser.add_argument("--engine", default="cpu", help="names of support/engines.hpp, with commas")
    parser.add_argument("--tasks", default="", help="with commas; all")
    parser.add_argument("--sections", default=",".join(s for s in SECTIONS if s != "peers"))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--rounds", type=int, default=3,
                        help="fresh processes a case, far apart in time; compare.py needs 3, or 5 with --against")
    parser.add_argument("--reps", type=int, default=5, help="warm repetitions a process, at most")
    parser.add_argument("--budget", type=float, default=6.0, help="seconds of warm repetitions a process")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a case")
    parser.add_argument("--peers", default="", help=f"all, or of {', '.join(PEERS)}: runs section peers")
    parser.add_argument("--variants", default="rows,greedy", help="of the peers: from the same rows, by k-means++")
    parser.add_argument("--no-checks", action="store_true", help="peers are timed alone: no labels, no inertia of theirs")
    parser.add_argument("--peers-python", default="build/bench-peers/bin/python")
    parser.add_argument("--deadline", type=float, default=0, help="seconds after which no further process is started")
    parser.add_argument("--fresh", action="store_true", help="drop what an earlier run left in OUT")
    parser.add_argument("--plant", default="", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    args.sections = args.sections.split(",")
    args.tasks = args.tasks.split(",") if args.tasks else []
    args.seeds = [int(seed) for seed in args.seeds.split(",")]
    args.engine = args.engine.split(",")
    args.variants = args.variants.split(",")
    args.peers = list(PEERS) if args.peers == "all" else [peer for peer in args.peers.split(",") if peer]
    if args.peers and "peers" not in args.sections:
        args.sections.append("peers")
    for name, known in ((args.sections, SECTIONS), (args.peers, PEERS), (args.variants, ("rows", "greedy"))):
        if unknown := set(name) - set(known):
            parser.error(f"unknown {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return args


class Job:
    """One process to run."""

    def __init__(self, case, section, engine, turn, command, **more):
        self.case, self.section, self.engine, self.turn, self.command = case, section, engine, turn, command
        self.task = more.get("task", "")
        self.is_peer = more.get("is_peer", False)
        self.identity = more.get("identity", {})  # what a peer's records lack
        self.key = f"{case}|{engine}|{turn}"


def listed(program, args):
    out = subprocess.run([program, "--list", f"--scale={args.scale}"], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in out.stdout.splitlines()]


def chosen(case, args):
    named = case["section"] in ("phases", "tiles", "exactness", "scaling")
    task = case.get("task") or (case["case"].split("/")[-1] if named else "")
    known = {"n", "k", "d", "threads", "machine", ""}
    return (case["section"] in args.sections and case.get("seed", 0) in ([0] if "seed" not in case else args.seeds)
            and (not args.tasks or task in args.tasks or task in known))


def own_jobs(args, build):
    """The cases of lloyd, a round after the other: repetitions far apart see more of a machine's moods."""
    mix, probe = build / "bench/lloyd-task-mix", build / "bench/lloyd-probe"
    shared = [f"--scale={args.scale}", f"--threads={args.threads}", f"--reps={args.reps}", f"--budget={args.budget}",
              f"--limit={args.limit}"]
    cases = [(case, probe, ["--case=" + case["case"]]) for case in listed(probe, args)]
    groups = {}
    for case in listed(mix, args):
        groups.setdefault(case["group"], (case, mix, [f"--benchmark_filter=^{case['group']}/"]))
    cases += list(groups.values())
    jobs = []
    for turn in range(args.rounds):
        for engine in args.engine:
            for case, program, selection in cases:
                once = case["section"] in ("limits", "tiles", "exactness", "crossover")
                if not chosen(case, args) or (turn > 0 and once):
                    continue
                jobs.append(Job(case["group"], case["section"], engine, turn,
                                [program, *selection, *shared, f"--engine={engine}"],
                                task=case.get("task") or case["group"].split("/")[-1]))
    return sorted(jobs, key=lambda job: (job.turn, SECTIONS.index(job.section)))


def environment(args):
    changed = dict(os.environ)
    if args.threads:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            changed[name] = str(args.threads)
    return changed


def run_process(command, args, is_peer):
    """(exit status or None if ended by us, seconds, resident peak, lines, what it said). The peak is the kernel's."""
    with tempfile.TemporaryDirectory() as folder:
        raw, said = pathlib.Path(folder, "raw.jsonl"), pathlib.Path(folder, "said.txt")
        raw.touch()
        start, ready = time.monotonic(), None
        with open(said, "wb") as sink:
            child = subprocess.Popen([*map(str, command), f"--raw={raw}"], stdout=sink, stderr=sink,
                                     env=environment(args))
        ended = False
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            elapsed = time.monotonic() - start
            if is_peer and ready is None and raw.stat().st_size > 0:
                ready = time.monotonic()
            late = ready is not None and time.monotonic() - ready > args.limit
            if not ended and (late or elapsed > args.limit + SPARE_SECONDS):
                os.kill(child.pid, signal.SIGKILL)
                ended = True
            time.sleep(0.002 if elapsed < 1 else 0.02)
        child.returncode = os.waitstatus_to_exitcode(status)
        lines = []
        for line in raw.read_text(encoding="utf-8").splitlines():
            try:
                lines.append(json.loads(line))
            except json.JSONDecodeError:  # cut off when it was ended
                pass
        last = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:] or [""]
        return (None if ended else child.returncode, time.monotonic() - start, usage.ru_maxrss * 1024,
                [line for line in lines if not line.get("ready")], re.sub(r"(?<![\w.])/[\w./-]+", "PATH", last[0]))


class Run:
    """What is measured of one build, kept in its file after every process."""

    def __init__(self, args, path, build):
        self.path, self.build = path, build
        settings = {key: getattr(args, key) for key in ("scale", "threads", "engine", "reps", "budget", "limit")}
        self.data = {"schema": results.SCHEMA, "settings": settings, "machine": machine.describe(),
                     "built": self.describe_build(), "processes": [], "checks": [], "complete": False}
        if path.exists() and not args.fresh:
            old = results.load(path)
            if old["settings"] != settings or old["built"]["programs"] != self.data["built"]["programs"]:
                sys.exit(f"{path} holds a run of another build or with other settings; --fresh drops it")
            self.data = old
        self.data.setdefault("started", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"))
        self.data["load_at_start"] = round(os.getloadavg()[0], 2)

    def describe_build(self):
        built = json.loads((self.build / "bench/build.json").read_text(encoding="utf-8"))
        digest = hashlib.sha256()
        for program in PROGRAMS:
            digest.update((self.build / "bench" / program).read_bytes())
        built["programs"] = digest.hexdigest()[:16]  # what resuming goes by: a commit says nothing about a build
        git = ["git", "-C", str(ROOT)]
        for key, command in (("commit", [*git, "rev-parse", "--short=12", "HEAD"]),
                             ("changed", [*git, "status", "--porcelain", "--", "include"])):
            out = subprocess.run(command, capture_output=True, text=True, check=False)
            if out.returncode == 0:
                built[key] = bool(out.stdout.strip()) if key == "changed" else out.stdout.strip()
        return built

    def done(self):
        return {process["key"] for process in self.data["processes"]}

    def add(self, job, args):
        """Runs a job and keeps what it measured, whatever became of it."""
        status, wall, peak, lines, said = run_process(job.command, args, job.is_peer)
        word = {0: "ok", 3: "limit", None: "limit"}.get(status, "failed")
        lines = [{**job.identity, **line} for line in lines]
        if word != "ok" and not any("status" in line for line in lines):
            lines.append({**job.identity, "case": job.case, "status": word})
        shared, lines = results.share(lines)
        process = {"key": job.key, "case": job.case, "engine": job.engine, "round": job.turn, "status": word,
                   "wall_seconds": round(wall, 3), "process_peak_bytes": peak,
                   "process_peak_meter": "ru_maxrss of the process", "shared": shared, "records": lines}
        if word == "failed":
            process["said"] = said
        self.data["processes"].append(process)
        self.save()
        return process

    def save(self):
        self.data["load_at_end"] = round(os.getloadavg()[0], 2)
        results.save(self.data, self.path)


class Progress:
    """One line a process, with the time that is left: cases like one that was run take as long as it did."""

    def __init__(self, jobs, runs):
        self.waiting = list(jobs) * len(runs)
        self.total, self.start, self.walls = len(self.waiting), time.monotonic(), []

    def gone(self):
        return time.monotonic() - self.start

    def past(self, deadline):
        """Whether no further process may be started; says so."""
        if not deadline or self.gone() <= deadline:
            return False
        print(f"{len(self.waiting)} processes not started: the deadline of {deadline:g} s is past; the same command "
              "without it goes on", flush=True)
        return True

    def left(self):
        def expected(job):
            for same in (lambda s, t: (s, t) == (job.section, job.task), lambda s, t: t == job.task, lambda s, t: True):
                like = [wall for section, task, wall in self.walls if same(section, task)]
                if like:
                    return sum(like) / len(like)
            return 1.0
        return sum(expected(job) for job in self.waiting)

    def show(self, job, text):
        at, left = self.total - len(self.waiting), self.left()
        print(f"[{at}/{self.total}] {clock(self.gone())} gone, about {clock(left)} left  "
              f"{job.key.replace('|', '  ')}  {text}", flush=True)

    def finish(self, job, wall=None):
        self.waiting.remove(job)
        if wall is not None:
            self.walls.append((job.section, job.task, wall))


def clock(seconds):
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}"


def described(process):
    lines = [{**process["shared"], **record} for record in process["records"]]
    seconds = [line["seconds"] for line in lines if "seconds" in line and line.get("rep")]
    known = f", {results.median(seconds):.3g} s" if seconds else ""
    return process["status"] + known + (f": {process['said']}" if process.get("said") else "")


def of_build(job, runs, number, args):
    """The job with the programs of the run's own build. What is planted is planted in the last one."""
    command = [str(part).replace(str(runs[0].build), str(runs[number].build)) for part in job.command]
    if args.plant and number == len(runs) - 1:
        command.append(f"--plant={args.plant}")
    return Job(job.case, job.section, job.engine, job.turn, command, task=job.task)


def execute(jobs, runs, args, progress):
    """Runs what is not done yet, each job by every build in turn. False: the deadline came first."""
    for job in jobs:
        for number, run in enumerate(runs):
            if job.key in run.done():
                progress.finish(job)
                continue
            if progress.past(args.deadline):
                return False
            process = run.add(of_build(job, runs, number, args), args)
            progress.finish(job, process["wall_seconds"])
            progress.show(job, described(process))
    return True


def peer_jobs(args, build, files, case):
    """Every engine on the same rows, from the same starting rows or by its own k-means++, in turn within a round. Each
    round begins with the next of them."""
    everyone, jobs = ["lloyd", *args.peers], []
    for turn in range(args.rounds):
        for seed in args.seeds:
            for variant in args.variants:
                if variant == "greedy" and not case["seeded"]:
                    continue
                first = turn % len(everyone)
                for engine in everyone[first:] + everyone[:first]:
                    start = ([f"--starts={files}.seed{seed}.npy"] if variant == "rows" else
                             [f"--k={case['k']}", f"--seed={seed}"])
                    program = ([build / "bench/lloyd-peer", f"--engine={args.engine[0]}"] if engine == "lloyd" else
                               [args.peers_python, ROOT / "bench/peers" / PEERS[engine]])
                    name = f"peers/{case['task']}/{variant}/seed:{seed}"
                    identity = {"case": name, "section": "peers", "variant": variant, "seed": seed, "scale": args.scale}
                    identity.update({key: case[key] for key in ("task", "n", "d", "k")})
                    command = [*program, f"--data={files}.x.npy", *start, f"--iterations={case['iterations']}",
                               f"--threads={args.threads}", f"--reps={args.reps}", f"--budget={args.budget}",
                               f"--limit={args.limit}"]
                    jobs.append(Job(name, "peers", engine, turn, command, task=case["task"], identity=identity,
                                    is_peer=engine != "lloyd"))
    return jobs


def check_engine(run, job, args, files, shift):
    """One result of an engine by the one checker: as it is, and with all rows moved by 100 standard deviations."""
    found = {"case": job.case, "engine": job.engine}
    for moved in (0, shift):
        saved = f"{files}.{job.engine}"
        command = [*job.command, f"--save={saved}", f"--shift={moved}", "--reps=0"]
        status, _, _, _, said = run_process(command, args, job.is_peer)
        suffix = "_moved" if moved else ""
        if status != 0:
            found["check" + suffix] = "limit" if status in (3, None) else f"failed: {said}"
            continue
        out = subprocess.run([args.peers_python, str(ROOT / "bench/peers/checker.py"), f"--data={files}.x.npy",
                              f"--centroids={saved}.centroids.npy", f"--labels={saved}.labels.npy",
                              f"--shift={moved}"], capture_output=True, text=True, check=True)
        checked = json.loads(out.stdout)
        found["wrong_labels" + suffix] = checked["wrong_labels"]
        if not moved:
            found["checked_inertia"] = checked["checked_inertia"]
    run.data["checks"].append(found)
    run.save()


def run_peers(run, args, cases, progress_of):
    """Section peers, a task after the other: its rows lie in files only as long as they are needed. False: the deadline
    came first."""
    tasks = {case["task"]: case for case in cases if not args.tasks or case["task"] in args.tasks}
    everything = [job for case in tasks.values() for job in peer_jobs(args, run.build, "", case)]
    progress = progress_of(everything)
    for case in tasks.values():
        planned = {job.key for job in peer_jobs(args, run.build, "", case)}
        checked = {(check["case"], check["engine"]) for check in run.data["checks"]}
        first_seed = f"/seed:{args.seeds[0]}"
        if planned <= run.done() and (args.no_checks or all(
                (key.split("|")[0], key.split("|")[1]) in checked for key in planned if first_seed in key)):
            for job in [job for job in everything if job.task == case["task"]]:
                progress.finish(job)
            continue
        if progress.past(args.deadline):
            return False
        with tempfile.TemporaryDirectory(dir=run.path.parent) as folder:
            files = str(pathlib.Path(folder, "rows"))
            made = subprocess.run([run.build / "bench/lloyd-task-mix", f"--scale={args.scale}",
                                   f"--threads={args.threads}", f"--data={case['task']}", f"--out={files}"],
                                  check=True, capture_output=True, text=True)
            shift = json.loads(made.stdout)["shift"]
            for job in peer_jobs(args, run.build, files, case):
                place = next(other for other in everything if other.key == job.key)
                if job.key in run.done():
                    progress.finish(place)
                elif progress.past(args.deadline):
                    return False
                else:
                    process = run.add(job, args)
                    progress.finish(place, process["wall_seconds"])
                    progress.show(place, described(process))
                if (job.turn == 0 and job.case.endswith(first_seed) and (job.case, job.engine) not in checked
                        and not args.no_checks):
                    check_engine(run, job, args, files, shift)
    return True


def main(argv=None):
    args = arguments(argv)
    path, build = pathlib.Path(args.out), pathlib.Path(args.build).resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    if args.peers and not pathlib.Path(args.peers_python).exists():
        sys.exit("the peers are not installed: bash bench/peers/install.sh")
    runs = [Run(args, path, build)]
    if args.against:
        beside = path.with_name(path.stem + "-against" + path.suffix)
        runs.append(Run(args, beside, pathlib.Path(args.against).resolve()))
        pair = runs[0].data.get("pair") or os.urandom(6).hex()  # tells compare.py that these two took turns
        for run in runs:
            run.data["pair"] = pair
    if runs[0].data["load_at_start"] > 0.5 * runs[0].data["machine"]["cores"]:
        print(f"warning: the machine is busy (load {runs[0].data['load_at_start']}); times will be noisy", flush=True)
    jobs = own_jobs(args, build)
    complete = execute(jobs, runs, args, Progress(jobs, runs))
    if args.peers and complete:
        cases = [case for case in listed(build / "bench/lloyd-task-mix", args) if case["section"] == "b"]
        complete = run_peers(runs[0], args, cases, lambda everything: Progress(everything, runs[:1]))
    for run in runs:
        run.data["complete"] = complete
        run.save()
        results.save_table(results.summarise(run.data) + results.probed(run.data), run.path.with_suffix(".csv"))
    wrong = [case for run in runs for case in results.disagreements(run.data)]
    failed = [process["key"] for run in runs for process in run.data["processes"] if process["status"] == "failed"]
    for case in wrong:
        print(f"the bits differ: {case}")
    for key in failed:
        print(f"failed: {key}")
    print(f"written: {', '.join(run.path.name for run in runs)}")
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())
