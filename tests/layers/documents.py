"""Documents hold together.  documents.py SOURCE_DIR

- Each link within the repository leads to a file, and its anchor to a heading. So does each name of a page in comments
  and texts of programs ("docs/reference/abi.md").
- A listing that names its file (a comment <!-- demos/first/NAME.c --> before a code block) is that file, word for word,
  and each program of demos/first is shown in a page.
- Each page of docs/ can be reached from README.md by links.
"""

import os
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
NAMED = re.compile(r"(?<![\w./-])((?:docs|demos)/[\w./-]+\.(?:md|yaml|c))\b")
LISTING = re.compile(r"<!-- (demos/first/\w+\.c) -->\n+```c\n(.*?)```\n", re.DOTALL)

problems = []


def files_of(root):
    """Those of git and new ones, or where there is no git all but what is built."""
    try:
        command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, text=True).stdout
    except FileNotFoundError:
        listed = ""
    if listed:
        return listed.split("\n")[:-1]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != "build" and not name.startswith(".")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "CODE", text)


def anchors(text):
    """Those that GitHub makes of headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    found, counts = set(), {}
    for heading in re.findall(r"^#{1,6} +(.*)$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        again = counts.get(anchor, 0)
        counts[anchor] = again + 1
        found.add(f"{anchor}-{again}" if again else anchor)
    return found


def check_links(root, pages):
    reached = {page: set() for page in pages}
    for page, text in pages.items():
        for target in LINK.findall(without_code(text)):
            if "://" in target or target.startswith("mailto:"):
                continue
            name, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
            if not (root / path).exists():
                problems.append(f"{page}: no file for the link {target}")
            elif anchor and path in pages and anchor not in anchors(pages[path]):
                problems.append(f"{page}: no heading for the link {target}")
            reached[page].add(path)
    open_pages, known = ["README.md"], {"README.md"}
    while open_pages:
        for path in reached[open_pages.pop()]:
            if path in pages and path not in known:
                known.add(path)
                open_pages.append(path)
    problems.extend(f"{page}: no link leads there from README.md" for page in pages if page not in known)


def check_names(root, files):
    count = 0
    for path in files:
        if path.startswith(("docs/", "tests/")) or not path.endswith(
            (".h", ".c", ".cpp", ".comp", ".glsl", ".cmake", ".txt", ".sh", ".py", ".md", "demo", "check", "wallctl")
        ):
            continue
        text = (root / path).read_text(errors="replace")
        for name in NAMED.findall(re.sub(r"\]\([^)]*\)", "", text)):
            count += 1
            if not (root / name).exists() and path != "CHANGELOG.md":
                problems.append(f"{path}: names {name}, which is not there")
    if count < 5:
        problems.append(f"found {count} names of pages in the sources, expected 5 or more")


def check_listings(root, pages):
    shown = set()
    for page, text in pages.items():
        for name, listing in LISTING.findall(text):
            shown.add(name)
            if not (root / name).exists() or (root / name).read_text() != listing:
                problems.append(f"{page}: the listing is not {name}")
        if text.count("<!-- demos/first/") != len(LISTING.findall(text)):
            problems.append(f"{page}: a comment names a program, and no code block of C follows")
    programs = {f"demos/first/{path.name}" for path in (root / "demos/first").glob("*.c")}
    if len(programs) < 10:
        problems.append(f"demos/first has {len(programs)} programs, expected 10 or more")
    problems.extend(f"{name}: no page shows it" for name in sorted(programs - shown))


def main():
    root = pathlib.Path(sys.argv[1])
    files = files_of(root)
    pages = {path: (root / path).read_text() for path in files if path.endswith(".md") and (root / path).exists()}
    if len(pages) < 20:
        problems.append(f"found {len(pages)} pages, expected 20 or more")
    check_links(root, pages)
    check_names(root, files)
    check_listings(root, pages)
    print("\n".join(problems) if problems else f"{len(pages)} pages")
    sys.exit(1 if problems else 0)


main()
