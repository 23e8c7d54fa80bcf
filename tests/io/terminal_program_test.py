# SPDX-License-Identifier: MIT
"""terminal_program_test.py PROGRAM DATA_DIR: what lloyd-cluster shows on a terminal, and what Ctrl-C does to it."""
import fcntl
import os
import pathlib
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

program, wine = sys.argv[1], pathlib.Path(sys.argv[2]) / "wine.csv"
for number in signal.SIGINT, signal.SIGTERM:
    signal.signal(number, signal.SIG_DFL)  # a shell may have started this with Ctrl-C ignored
FOREVER = ["--n-init", "250000000", "-k", "5"]
PATIENCE = 60  # seconds


class OnTerminal:
    """The program with its stderr on a terminal."""

    def __init__(self, *arguments, columns=80):
        self.terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        command = [program, *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end)
        os.close(end)
        self.shown = b""

    def wait_for(self, text):
        """Reads what is shown until the text is there, or the end."""
        until = time.monotonic() + PATIENCE
        while text is None or text not in self.shown:
            assert time.monotonic() < until, self.shown[-500:]
            try:
                more = os.read(self.terminal, 65536)
            except OSError:  # how a terminal says that nobody writes to it any more
                more = b""
            if not more:
                assert text is None, self.shown[-500:]
                return
            self.shown += more

    def end(self):
        self.wait_for(None)
        os.close(self.terminal)
        out = self.process.stdout.read()
        return self.process.wait(PATIENCE), out


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    outputs = work / "outputs"
    outputs.mkdir()
    (outputs / "labels.csv").write_text("kept\n")
    wanted = ["--labels", outputs / "labels.csv", "--model", outputs / "m.npz", "--centroids", outputs / "c.csv"]

    # A fit that is cancelled writes nothing, and says so on a line of its own.
    for number in signal.SIGINT, signal.SIGTERM:
        run = OnTerminal("fit", wine, *FOREVER, *wanted)
        run.wait_for(b"start ")
        run.process.send_signal(number)
        code, out = run.end()
        assert code == 128 + number and out == b"", (code, out)
        assert run.shown.endswith(b"\r\x1b[Klloyd-cluster: cancelled; nothing was written\r\n"), run.shown[-200:]
        assert [path.name for path in outputs.iterdir()] == ["labels.csv"], list(outputs.iterdir())
        assert (outputs / "labels.csv").read_text() == "kept\n"

    # The same of the other programs that fit.
    tiny = "a,b\n0,0\n0,1\n5,5\n6,5\n9,0\n9,1\n"
    (work / "tiny.csv").write_text(tiny)
    run = OnTerminal("sweep", work / "tiny.csv", "-k", "2-4", "--n-init", "250000000", "--table", outputs / "t.csv")
    run.wait_for(b"start ")
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    assert [path.name for path in outputs.iterdir()] == ["labels.csv"]

    # A silhouette cannot be asked to stop: the program ends at once.
    (work / "many.csv").write_text("".join(f"{i % 251},{i * i % 257}\n" for i in range(60000)))
    run = OnTerminal("sweep", work / "many.csv", "-k", "2", "--silhouette", "exact", "--table", outputs / "t.csv")
    run.wait_for(b"k = 2, silhouette")
    run.process.send_signal(signal.SIGINT)
    assert run.end() == (130, b"")
    assert run.shown.endswith(b"\r\x1b[Klloyd-cluster: cancelled; nothing was written\r\n"), run.shown[-200:]
    assert [path.name for path in outputs.iterdir()] == ["labels.csv"]

    # Phase, iteration, inertia and the time that is left.
    run = OnTerminal("fit", wine, "-k", "5", "--n-init", "4000", "--tol", "0", columns=200)
    code, out = run.end()
    assert code == 0 and b"total inertia" in out
    lines = run.shown.split(b"\r\x1b[K")
    assert lines[1].startswith(b"reading "), lines[:3]
    of_loop = [line for line in lines if b"iteration " in line and b" of 300, " in line]
    assert any(b" left, inertia " in line and line.endswith(b" rows moved") for line in of_loop), lines
    assert lines[-1] == b"", "the line is empty at the end"
    assert b"\n" not in run.shown

    # What is said of the rows has a line of its own.
    (work / "times.csv").write_text("1700000001\n1700000003\n")
    for command in "fit", "sweep":
        run = OnTerminal(command, work / "times.csv", "-k", "2")
        assert run.end()[0] == 0
        assert b"\r\x1b[Klloyd-cluster: " in run.shown and b"keeps its digits\r\n" in run.shown, run.shown

    # A narrow terminal gets the beginning of it, for a longer line would wrap.
    run = OnTerminal("fit", wine, "-k", "5", "--n-init", "4000", columns=30)
    assert run.end()[0] == 0
    lines = run.shown.split(b"\r\x1b[K")
    assert any(line.startswith(b"start ") for line in lines) and all(len(line) < 30 for line in lines), lines

    # Nothing of it where stderr is no terminal.
    quiet = subprocess.run([program, "fit", str(wine), "-k", "5", "--n-init", "500"], capture_output=True, check=True)
    assert quiet.stderr == b""

    # While it waits for rows there is nothing to finish: it ends at once.
    fifo = work / "rows.csv"
    os.mkfifo(fifo)
    run = OnTerminal("fit", fifo, *wanted)
    run.wait_for(b"reading ")
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    assert [path.name for path in outputs.iterdir()] == ["labels.csv"]

    # A program that was started with the signal ignored goes on.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run = OnTerminal("fit", wine, "-k", "5", "--n-init", "3000", "--labels", outputs / "labels.csv")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run.wait_for(b"start ")
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 0
    assert len((outputs / "labels.csv").read_text().splitlines()) == 179  # a name and the labels
print("terminal and Ctrl-C: all as it should be")
