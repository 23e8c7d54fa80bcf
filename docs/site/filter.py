# SPDX-License-Identifier: MIT
"""filter.py FILE: what Doxygen reads in place of a file.

Markdown: links that lead to a place in the repository lead to the same thing in the site: to a page, a heading, or a
copy of the file (build.py makes it). Headers: without the namespace of the version, and with headings for the parts of a
comment that Doxygen has no command for.
"""
import pathlib
import posixpath
import re
import sys

import pages


def identity(path):
    """The name of a page, given its path in the repository."""
    return "mainpage" if path == "README.md" else re.sub(r"\W", "_", path.removesuffix(".md"))


def copy_of(path):
    """The name of the copy of a file or folder in the site."""
    return re.sub(r"[^\w.]", "_", path) + ".file.html"


def target_of(page, to):
    """(kind, where) of a link: outside, page, picture or copy."""
    path, _, anchor = to.partition("#")
    if re.match(r"[a-z]+:", to):
        return "outside", to
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if (pages.ROOT / path / "README.md").is_file():
        path += "/README.md"
    if path.endswith(".md"):
        return "page", identity(path) + (f"_{anchor}" if anchor else "")
    return ("picture" if re.search(r"\.(png|svg|jpg)$", path) else "copy"), path


def in_the_site(page, match):
    if match["code"] is not None:
        # `a ' ends a quotation for Doxygen, unless there are two backticks.
        single = "'" in match["code"] and not match["code"].startswith("``")
        return f"`{match['code']}`" if single else match["code"]
    kind, where = target_of(page, match["to"])
    if kind == "outside":
        return match.group()
    if match["bang"]:
        return f'<img src="{posixpath.basename(where)}" alt="{match["text"]}">'
    if kind == "page" and where.startswith("mainpage"):
        return f"[{match['text']}](index.html{where.removeprefix('mainpage').replace('_', '#', 1)})"
    if kind == "page":
        return f"[{match['text']}](@ref {where})"
    return f"[{match['text']}]({copy_of(where) if kind == 'copy' else posixpath.basename(where)})"


def page(name, text):
    names = iter(pages.headings(text))
    first = True

    def heading(match):
        nonlocal first
        level, title, anchor = next(names)
        label = identity(name) if first else f"{identity(name)}_{anchor}"
        plain = not first and label.startswith("mainpage")
        first = False
        if plain:  # the front page's sections would stand among the pages in the list of pages
            return f'<h1 id="{anchor}">{title}</h1>'
        return f"{'#' * level} {title.replace('`', '')} {{#{label}}}"

    parts = []
    for code, piece in pages.outside_fences(text):
        if code:
            # Doxygen colours by the ending of a file, and knows these.
            piece = re.sub(r"^(```+)(cpp|cuda)[^\n]*", r"\1cpp", piece)
            parts.append(re.sub(r"^(```+)(cmake|python|sh|console)\b[^\n]*", r"\1", piece))
        else:
            piece = re.sub(r"(?<=\s)#(?=[a-z])", r"\\#", piece)  # or Doxygen looks for a name
            piece = re.sub(r"^(#{1,6}) +(.+?)[ ]*$", heading, piece, flags=re.M)
            parts.append(pages.LINK.sub(lambda match: in_the_site(name, match), piece))
    return "".join(parts)


def header(text):
    text = text.replace("::inline LLOYD_ABI", "")
    text = re.sub(r"\bdocs/([\w/-]+)\.md\b", lambda match: f"@ref {identity(match.group())}", text)
    parts = r"^(\s*/// )(Complexity and determinism|Complexity|Determinism|Memory): *"
    return re.sub(parts, r"\1@heading{\2} ", text, flags=re.M)


if __name__ == "__main__":
    file = pathlib.Path(sys.argv[1]).resolve()
    content = file.read_text(encoding="utf-8")
    name = file.relative_to(pages.ROOT).as_posix()
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(page(name, content) if name.endswith(".md") else header(content))
