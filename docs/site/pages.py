# SPDX-License-Identifier: MIT
"""The Markdown of the project: its files, the names of headings as the repository makes them, and its links."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(```+|~~~+)[^\n]*\n.*?^\1[ ]*$", re.M | re.S)
# A link or an image, whose text may run over lines; code in backticks is passed over.
LINK = re.compile(r"(?P<code>(`+)(?:.|\n)+?\2(?!`))|(?P<bang>!?)\[(?P<text>(?:`[^`]*`|[^\[\]`])*)\]\((?P<to>[^()\s]+)\)")


def markdown():
    """Every page under version control, or about to be; without git, every one outside build folders."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"]
    if (ROOT / ".git").exists():
        names = subprocess.run(git, check=True, capture_output=True, text=True).stdout.split("\0")
        found = {ROOT / name for name in names if name}
    else:
        found = {path for path in ROOT.rglob("*.md") if not re.match(r"build|\.", str(path.relative_to(ROOT)))}
    return sorted(path for path in found if path.is_file())


def slug(heading):
    """What stands behind # in a link to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def outside_fences(text):
    """Pieces of a page: (True, code between fences) or (False, all else)."""
    at = 0
    for fence in FENCE.finditer(text):
        yield False, text[at:fence.start()]
        yield True, fence.group()
        at = fence.end()
    yield False, text[at:]


def headings(text):
    """(level, heading, slug) in order; a slug that comes again gets a number."""
    seen = {}
    for code, piece in outside_fences(text):
        for mark, heading in [] if code else re.findall(r"^(#{1,6}) +(.+?)[ ]*$", piece, re.M):
            name = slug(heading)
            seen[name] = seen.get(name, -1) + 1
            yield len(mark), heading, name if seen[name] == 0 else f"{name}-{seen[name]}"


def links(text):
    """(whether it is an image, target) of every link outside code."""
    for code, piece in outside_fences(text):
        for match in [] if code else LINK.finditer(piece):
            if match["code"] is None:
                yield match["bang"] == "!", match["to"]
