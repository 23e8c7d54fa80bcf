# SPDX-License-Identifier: MIT
"""refuses.py UNIT COMMAND...: the gate, run on the unit, must fail and say all that the unit's lines "refused:" name."""
import re
import subprocess
import sys

unit, *command = sys.argv[1:]
with open(unit, encoding="utf-8") as text:
    expected = re.findall(r"(?m)^/// refused: (.+)$", text.read())
done = subprocess.run(command, capture_output=True, text=True, check=False)
said = re.sub(r"<\w+>", "", done.stdout + done.stderr)  # templates by their names alone
missing = [sentence for sentence in expected if sentence not in said]
print(said)
print(f"refuses: {len(expected)} complaints expected, {len(missing)} missing: {missing}")
sys.exit(1 if missing or not expected or done.returncode == 0 or "Traceback" in said else 0)
