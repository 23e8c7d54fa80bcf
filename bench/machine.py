# SPDX-License-Identifier: MIT
"""What a machine is, as far as its times depend on it. No names of hosts and no paths."""
import glob
import os
import platform
import re

FLAGS = ("avx2", "fma", "avx512f", "avx512vl", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16")


def read(path, default=""):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return default


def caches():
    """Sizes by level, as the first core sees them."""
    found = {}
    for folder in sorted(glob.glob("/sys/devices/system/cpu/cpu0/cache/index*")):
        kind = read(f"{folder}/type").strip()
        if kind != "Instruction":
            found["L" + read(f"{folder}/level").strip()] = read(f"{folder}/size").strip()
    return found


def describe():
    info = read("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.+)", info)
    flags = re.search(r"^flags\s*:\s*(.+)", info, re.M)
    memory = re.search(r"MemTotal:\s*(\d+)", read("/proc/meminfo"))
    system = re.search(r'PRETTY_NAME="([^"]+)"', read("/etc/os-release"))
    return {
        "cpu": model.group(1).strip() if model else platform.processor() or platform.machine(),
        "architecture": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "flags": [flag for flag in FLAGS if flags and flag in flags.group(1).split()],
        "caches": caches(),
        "memory_gib": round(int(memory.group(1)) / 2**20, 1) if memory else None,
        "system": system.group(1) if system else platform.system(),
        "kernel": platform.release(),
        "virtual": "hypervisor" in info,
    }


def slug(machine):
    """A folder's name for a machine: xeon-processor-2-cores."""
    words = re.sub(r"\(.*?\)|@.*|\b(cpu|intel|amd)\b", " ", machine["cpu"].lower())
    return "-".join(re.findall(r"[a-z0-9]+", words)) + f"-{machine['cores']}-cores"
