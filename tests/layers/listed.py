"""Pages of reference have all there is.  listed.py SOURCE_DIR PROGRAM...  (or: listed.py SOURCE_DIR --write)

- docs/reference/functions.md names each public header, and the functions of each under "All functions"; --write writes
  that section. A name of a function in any page is one of them.
- docs/reference/errors.md has all codes.
- docs/reference/commands.md has each PROGRAM, and the scripts of tools/. Each long option that a PROGRAM's --help has,
  or that of one of its commands, is in some page.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

DECLARED = re.compile(r"^PIXMPI_API\b[^;{]*?\b((?:pix|gl|vk|cuda)MPI_\w+)\(|^(?!#)[\w *]*\b(mpiglut[A-Z]\w+)\(", re.MULTILINE)
USED = re.compile(r"\b(?:pix|gl|vk|cuda)MPI_[A-Z]\w*(?=\()")
INVENTED = {"pixMPI_Shift"}  # by the recipe for a new collective
OF_TESTS = {"--attached"}  # options that programs of the toolkit give each other
PAGE = "docs/reference/functions.md"
problems = []


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def headers_of(root):
    paths = [*root.glob("*/include/*.h"), *root.glob("*/icet/include/*.h"), *root.glob("mpiglut/include/GL/*.h")]
    return {str(path.relative_to(root)): without_comments(path.read_text()) for path in sorted(paths)}


def functions_of(headers):
    """Functions by the header's name, without those of IceT's interface and those that libraries call in each other."""
    found = {}
    for path, text in headers.items():
        names = sorted({one or other for one, other in DECLARED.findall(text)})
        names = [name for name in names if not name.startswith("pixMPI_Internal_")]
        if names and "/icet/" not in path:
            found[path.split("include/")[1]] = names
    return found


def section(functions):
    """Alternately the name of a header and its functions."""
    lines = []
    for header, names in functions.items():
        text = ", ".join(f"`{name}`" for name in names)
        lines.append(f"**{header}**:\n" + textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False))
    return "## All functions\n\n" + "\n\n".join(lines) + "\n"


def check_functions(root, pages, functions):
    for path in headers_of(root):
        if f"]({'../../' + path})" not in pages[PAGE]:
            problems.append(f"{PAGE}: lacks the header {path}")
    if section(functions) not in pages[PAGE]:
        problems.append(f'{PAGE}: "All functions" is not what the headers have: listed.py . --write')
    known = {name for names in functions.values() for name in names} | INVENTED
    inline = set(re.findall(r"(?:static inline|#define)[^;{\n]*?\b((?:pix|gl|vk|cuda)MPI_\w+)\(", "".join(headers_of(root).values())))
    for page, text in pages.items():
        if page != "CHANGELOG.md":
            problems.extend(f"{page}: {name} is in no header" for name in sorted(set(USED.findall(text)) - known - inline)
                            if not name.startswith("pixMPI_Internal_"))


def help_of(program):
    said = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    commands = re.findall(r"^ {2,4}([a-z][a-z0-9-]+)(?=\s{2,}|$| [A-Z])", said, re.MULTILINE)
    for command in commands if re.search(r"COMMAND|SUBCOMMAND", said) else []:
        said += subprocess.run([program, command, "--help"], capture_output=True, text=True).stdout
    return said


def check_commands(root, pages, programs):
    page = pages["docs/reference/commands.md"]
    text = "".join(pages.values())
    for program in programs:
        name = pathlib.Path(program).name
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", help_of(program))) - OF_TESTS
        if f"`{name}`" not in page:
            problems.append(f"docs/reference/commands.md: lacks {name}")
        if len(options) < 2:
            problems.append(f"{name} --help has the options {options}, expected more")
        problems.extend(f"{name}: no page has {one}" for one in sorted(options) if not re.search(one + r"(?![a-z-])", text))
    for script in (path for path in (root / "tools").iterdir() if path.is_file() and path.suffix != ".txt"):
        if f"`tools/{script.name}`" not in page:
            problems.append(f"docs/reference/commands.md: lacks tools/{script.name}")


def main():
    root = pathlib.Path(sys.argv[1])
    functions = functions_of(headers_of(root))
    if sum(map(len, functions.values())) < 200:
        problems.append(f"found {sum(map(len, functions.values()))} functions in the headers, expected 200 or more")
    if sys.argv[2:] == ["--write"]:
        text = (root / PAGE).read_text()
        (root / PAGE).write_text(text.split("## All functions\n")[0].rstrip("\n") + "\n\n" + section(functions))
        return
    paths = [*root.glob("*.md"), *root.glob("docs/**/*.md"), root / "demos/README.md", root / "python/README.md"]
    pages = {str(path.relative_to(root)): path.read_text() for path in paths}
    check_functions(root, pages, functions)
    codes = set(re.findall(r"\bPIXMPI_ERR_[A-Z]+", headers_of(root)["core/include/pixmpi_errors.h"])) - {"PIXMPI_ERR_END"}
    problems.extend(f"docs/reference/errors.md: lacks {code}" for code in sorted(codes)
                    if f"`{code}`" not in pages["docs/reference/errors.md"])
    check_commands(root, pages, sys.argv[2:])
    print("\n".join(problems) if problems else f"{sum(map(len, functions.values()))} functions, {len(codes)} codes")
    sys.exit(1 if problems else 0)


main()
