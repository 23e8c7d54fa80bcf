# SPDX-License-Identifier: MIT
"""spills.py BINARY...: no inner loop of a kernel keeps a vector on the stack.

Reads the disassembly of the kernels of every instruction set (EnterPortable, EnterAvx2, EnterAvx512), finds their inner
loops that multiply and add, and fails where one of them reads or writes a vector relative to the stack pointer or to the
frame pointer: a tile that does not fit the registers. A kernel without such a loop fails, too: nothing would be tested.
"""
import re
import subprocess
import sys

KERNEL = re.compile(r"(Enter\w+)<(float|double)>::kernel<(\d+), ?\(\S*cpu::Work\)([01])>")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
MULTIPLY = re.compile(r"^(vfn?madd|mulp|vmulp|fmla)")
ON_STACK = re.compile(r"\(%r[sb]p[,)]|\[sp\b|\[x29\b")
VECTOR = re.compile(r"%[xyz]mm\d+|\b[qv]\d+\b")


def functions(binary):
    """(name, [(address, operation, operands)]) of each kernel that multiplies itself."""
    text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", binary], check=True, capture_output=True,
                          text=True).stdout
    name, body = None, []
    for line in [*text.splitlines(), "0 <end>:"]:
        if line.endswith(">:"):
            if name:
                yield name, body
            found = KERNEL.search(line)
            name, body = (found.group(0) if found else None), []
        elif name and (found := INSTRUCTION.match(line)):
            body.append((int(found.group(1), 16), found.group(2), found.group(3)))


def inner_loops(body):
    """Runs of instructions from the target of a backward jump to the jump, with no other such run in them."""
    at = {address: i for i, (address, _, _) in enumerate(body)}
    loops = []
    for i, (_, operation, operands) in enumerate(body):
        target = re.match(r"^(?:\w+,)?([0-9a-f]+)\b", operands)
        if (operation.startswith("j") or operation.startswith("b.")) and target:
            first = at.get(int(target.group(1), 16), i + 1)
            if first <= i:
                loops.append((first, i))
    return [body[a:b + 1] for a, b in loops
            if not any((c, d) != (a, b) and a <= c and d <= b for c, d in loops)]


def main():
    kernels, failed = set(), []
    for binary in sys.argv[1:]:
        for name, body in functions(binary):
            # Two multiplications tell a loop over features from one that copies.
            loops = [loop for loop in inner_loops(body) if sum(bool(MULTIPLY.match(op)) for _, op, _ in loop) >= 2]
            spilt = [f"{op} {operands}" for loop in loops for _, op, operands in loop
                     if ON_STACK.search(operands) and VECTOR.search(operands)]
            if not loops:
                failed.append(f"{name}: no loop that multiplies was found")
            elif spilt:
                failed.append(f"{name}: {len(spilt)} accesses to the stack in an inner loop, such as {spilt[0]}")
            kernels.add(name)
    print("\n".join(failed))
    print(f"spills: {len(kernels) - len(failed)} passed, {len(failed)} failed")
    if not kernels:
        print("no kernel was found")
    return 1 if failed or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
