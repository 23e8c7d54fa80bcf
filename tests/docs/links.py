# SPDX-License-Identifier: MIT
"""links.py: every relative link and picture of every Markdown page leads to a file, and to a heading where it names one."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs" / "site"))
import pages  # noqa: E402

anchors, complaints, looked_at = {}, [], 0
for page in pages.markdown():
    anchors[page] = {name for _, _, name in pages.headings(page.read_text(encoding="utf-8"))}
for page in anchors:
    for _, to in pages.links(page.read_text(encoding="utf-8")):
        if "://" in to or to.startswith("mailto:"):
            continue
        looked_at += 1
        path, _, anchor = to.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or pages.ROOT not in (target, *target.parents):
            complaints.append(f"{page.relative_to(pages.ROOT)}: there is no {to}")
        elif anchor and anchor not in anchors.get(target, ()):
            complaints.append(f"{page.relative_to(pages.ROOT)}: {path or page.name} has no heading #{anchor}")
print("\n".join(complaints))
print(f"links: {looked_at} looked at in {len(anchors)} pages, {len(complaints)} lead nowhere")
sys.exit(1 if complaints or not looked_at else 0)
