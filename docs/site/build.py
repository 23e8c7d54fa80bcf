# SPDX-License-Identifier: MIT
"""build.py OUT: the site, by Doxygen and the theme Doxygen Awesome (Debian: doxygen doxygen-awesome-css), in OUT.

A warning of Doxygen is an error, and so is a link of the site that leads nowhere. 77 where a tool is missing.
"""
import html
import html.parser
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import urllib.parse

import filter as site
import pages

THEME = pathlib.Path("/usr/share/doxygen-awesome-css")
HERE = pathlib.Path(__file__).parent
# Rooms whose types are named by public functions.
PUBLIC_ROOMS = ["include/lloyd/cpu/target.hpp", "include/lloyd/metrics/options.hpp"]


def version():
    text = (pages.ROOT / "include/lloyd/version.hpp").read_text()
    return ".".join(re.findall(r"define LLOYD_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def doxyfile(out):
    """The settings that depend on where this is."""
    inputs = [path.relative_to(pages.ROOT).as_posix() for path in pages.markdown()]
    inputs += ["include/lloyd", *PUBLIC_ROOMS]
    run = f'"{sys.executable} {HERE / "filter.py"}"'
    return "\n".join([
        (HERE / "Doxyfile.in").read_text(), f"PROJECT_NUMBER = {version()}", f"INPUT = {' '.join(inputs)}",
        f"OUTPUT_DIRECTORY = {out}", f"FILTER_PATTERNS = *.md={run} *.hpp={run} *.cuh={run}",
        f"HTML_EXTRA_STYLESHEET = {THEME / 'doxygen-awesome.css'} {THEME / 'doxygen-awesome-sidebar-only.css'} "
        f"{THEME / 'doxygen-awesome-sidebar-only-darkmode-toggle.css'} {HERE / 'style.css'}",
        f"HTML_EXTRA_FILES = {THEME / 'doxygen-awesome-darkmode-toggle.js'} "
        f"{THEME / 'doxygen-awesome-fragment-copy-button.js'}",
        f"HTML_HEADER = {out / 'header.html'}", ""])


def write_header(out):
    """Doxygen's own, with the scripts of the theme."""
    names = [str(out / name) for name in ("header.html", "footer.html", "style.css")]
    subprocess.run(["doxygen", "-w", "html", *names], check=True, stdout=subprocess.DEVNULL)
    text = (out / "header.html").read_text()
    scripts = "".join(f'<script type="text/javascript" src="$relpath^doxygen-awesome-{name}.js"></script>\n'
                      for name in ("darkmode-toggle", "fragment-copy-button"))
    scripts += ('<script type="text/javascript">DoxygenAwesomeDarkModeToggle.init(); '
                "DoxygenAwesomeFragmentCopyButton.init();</script>\n")
    (out / "header.html").write_text(text.replace("</head>", scripts + "</head>"))
    for name in names[1:]:
        pathlib.Path(name).unlink()


def copies(out):
    """What pages link to and is no page: pictures as they are, files as text, folders as lists of theirs."""
    wanted = set()
    for page in pages.markdown():
        name = page.relative_to(pages.ROOT).as_posix()
        wanted |= {site.target_of(name, to) for _, to in pages.links(page.read_text(encoding="utf-8"))}
    written = set()
    queue = sorted(path for kind, path in wanted if kind == "copy")
    for path in sorted(path for kind, path in wanted if kind == "picture"):
        name = posixpath.basename(path)
        if name in written:
            sys.exit(f"two pictures are called {name}")
        written.add(name)
        shutil.copy(pages.ROOT / path, out / name)
    frame = (out / "docs_README.html").read_text()
    before, after = frame[:frame.index('<div class="contents">')], frame[frame.index("</div><!-- contents -->"):]
    for path in queue:
        source = pages.ROOT / path
        if source.is_dir():
            inside = sorted(p.name for p in source.iterdir() if p.is_file())
            text = "\n".join(html.escape(name) for name in inside)
        else:
            text = html.escape(source.read_text(encoding="utf-8"))
        head = re.sub(r"<title>.*?</title>", f"<title>{path}</title>", before, flags=re.S)
        head = re.sub(r'<div class="title">.*?</div>', f'<div class="title">{path}</div>', head, flags=re.S)
        (out / site.copy_of(path)).write_text(f'{head}<div class="contents"><div class="copy">{text}</div>{after}')


class Links(html.parser.HTMLParser):
    """The anchors of a page, and where it leads."""

    def __init__(self, path):
        super().__init__()
        self.names, self.to = set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.names |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        where = attributes.get("href" if tag in ("a", "link") else "src")
        if where and not re.match(r"[a-z]+:|//|#$", where):
            self.to.add(urllib.parse.unquote(where))


def dead_links(out):
    seen = {path.name: Links(path) for path in sorted(out.glob("*.html")) if path.name != "header.html"}
    for name, page in seen.items():
        for where in sorted(page.to):
            file, _, anchor = where.partition("#")
            file = file or name
            if not (out / file).exists() or (anchor and file in seen and anchor not in seen[file].names):
                yield f"{name}: leads to {where}, which is not there"


def main():
    if shutil.which("doxygen") is None or not THEME.exists():
        print("skipped: the site needs Doxygen and its theme (Debian: apt-get install doxygen doxygen-awesome-css)")
        return 77
    out = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    write_header(out)
    run = subprocess.run(["doxygen", "-"], input=doxyfile(out), text=True, cwd=pages.ROOT, check=False)
    if run.returncode != 0:
        print("Doxygen has warnings: see above")
        return 1
    (out / "header.html").unlink()
    copies(out)
    dead = list(dead_links(out))
    print("\n".join(dead[:40]))
    count = len(list(out.glob("*.html")))
    print(f"site: {count} pages, {len(dead)} dead links: {out / 'index.html'}")
    return 1 if dead or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
