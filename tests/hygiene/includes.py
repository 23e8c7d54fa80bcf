# SPDX-License-Identifier: MIT
"""A door and its rooms: X.hpp is public, X/ holds its rooms. Who may include what, where macros may stand, and which
namespace is opened."""
import re

import tree

# A folder's rooms are included by its door and by each other; beyond that only by those named here.
ALSO = {
    "kmeans": ("lloyd/backend.hpp", "lloyd/reference.hpp", "lloyd/cpu.hpp", "lloyd/cpu/", "lloyd/cuda.cuh",
               "lloyd/cuda/", "lloyd/metrics.hpp", "lloyd/metrics/"),
    "cpu": ("lloyd/metrics/",),
    "io": ("lloyd/csv.hpp", "lloyd/csv/", "lloyd/npy.hpp", "lloyd/npy/", "lloyd/fvecs.hpp", "lloyd/npz.hpp",
           "lloyd/npz/"),
}
# What a floor must not know.
LIBRARIES = r"<(Eigen/|omp\.h|cuda|cub/|thrust/|cublas|mpi\.h|nccl)"
FORBIDDEN = {
    "lloyd/kmeans/": (LIBRARIES, r"lloyd/(cpu|cuda|mpi|nccl|eigen|reference)\b"),
    "lloyd/cpu/": (r"<(cuda|cub/|thrust/|mpi\.h|nccl)", r"lloyd/(clustering|kmeans|cuda|mpi)\.(hpp|cuh)"),
    "lloyd/metrics/": (LIBRARIES, r"lloyd/(clustering|kmeans|backend|cpu|cuda|mpi|eigen)\.(hpp|cuh)"),
    "lloyd/cuda/": (r"<(Eigen/|omp\.h|mpi\.h)", r"lloyd/(clustering|kmeans|cpu|mpi)\.(hpp|cuh)"),
}
EIGEN_IN = ("lloyd/eigen.hpp", "lloyd/cpu.hpp", "lloyd/cpu/")
OPENMP_IN = ("lloyd/cpu/parallel.hpp",)
# What every namespace of the library begins with, so that the linker tells versions apart.
NAMESPACE = "namespace lloyd::inline LLOYD_ABI"
VERSION = "lloyd/version.hpp"
DEFINES_IN = ("lloyd/version.hpp", "lloyd/cpu/target.hpp", "lloyd/cuda/check.cuh")


def folder(header):
    parts = header.split("/")
    return parts[1] if len(parts) > 2 else None


headers = tree.headers()
complaints, graph = [], {}
for header, path in headers.items():
    graph[header] = []
    for number, line in enumerate(tree.lines(path), 1):
        where = f"include/{header}:{number}:"
        if re.match(r"\s*#\s*define\b", line) and header not in DEFINES_IN:
            complaints.append(f"{where} a macro; they live in {', '.join(DEFINES_IN)}")
        if re.search(r"#\s*pragma\s+omp\b|_Pragma\(\"omp", line) and header not in OPENMP_IN:
            complaints.append(f"{where} OpenMP; it lives in {', '.join(OPENMP_IN)}")
        if re.match(r"\s*(inline )?namespace lloyd\b", line) and not line.startswith(NAMESPACE) and header != VERSION:
            complaints.append(f"{where} opens lloyd without its version: {NAMESPACE}")
        included = re.match(r"\s*#\s*include\s*([<\"][^>\"]+)", line)
        if not included:
            continue
        what = included.group(1)
        for floor, patterns in FORBIDDEN.items():
            if header.startswith(floor) and any(re.search(pattern, what) for pattern in patterns):
                complaints.append(f"{where} {what[1:]} is not for {floor}")
        if what.startswith("<Eigen/") and not header.startswith(EIGEN_IN):
            complaints.append(f"{where} Eigen; it lives in {', '.join(EIGEN_IN)}")
        if what.startswith("<lloyd/") or (what.startswith('"') and what[1:] not in headers):
            complaints.append(f'{where} {what[1:]}: headers include each other as "lloyd/name.hpp"')
        if (target := what[1:]) in headers:
            graph[header].append(target)
            room = folder(target)
            doors = (f"lloyd/{room}.hpp", f"lloyd/{room}.cuh", f"lloyd/{room}/") + ALSO.get(room, ())
            if room and not header.startswith(doors):
                complaints.append(f"{where} {target} is a room; include its door")

# No header includes itself, through any number of others.
finished, on_the_way = set(), []


def visit(header):
    if header in on_the_way:
        complaints.append("a cycle: " + " -> ".join(on_the_way[on_the_way.index(header):] + [header]))
    elif header not in finished:
        on_the_way.append(header)
        for target in graph[header]:
            visit(target)
        on_the_way.pop()
        finished.add(header)


def reached(header, seen):
    """All that a header includes, through any number of others."""
    for target in graph.get(header, []):
        if target not in seen:
            seen.add(target)
            reached(target, seen)
    return seen


for header in graph:
    visit(header)

# Where LLOYD_ABI is not known it would be a namespace of that name.
for header in sorted(headers.keys() - {VERSION}):
    if VERSION not in reached(header, set()) and any(NAMESPACE in line for line in tree.lines(headers[header])):
        complaints.append(f"include/{header}: does not reach {VERSION}")

# Doors that need no Eigen reach no room that does.
for door in ("lloyd/reference.hpp", "lloyd/metrics.hpp"):
    for header in sorted(reached(door, {door}) & set(headers)):
        if any("<Eigen/" in line for line in tree.lines(headers[header])):
            complaints.append(f"include/{door}: reaches Eigen by {header}")
tree.report("includes", complaints, len(headers))
