"""English that reads at once, in documents, public headers and comments.  english.py SOURCE_DIR [--show FILE...]

Looks for what makes readers read twice: sentences of more than 32 words, clauses that hang on "of which" or "whose",
"what ..." as a subject, words that mean a person where a process is meant, and words that have a plainer one. A find is
a place to look at. A page or header may have 5 finds in 1,000 words, all of them together 2.5, and the comments of all
sources together 3. --show prints the finds of files.
"""

import pathlib
import re
import sys

LONGEST = 32  # words of a sentence
EACH, ALL, COMMENTS = 5.0, 2.5, 3.0  # finds in 1,000 words
FEW = 5  # that a page may have, however short it is

NOUN = "what as a subject"  # in a comment it is the thing below
RULES = {
    "relative clause without its noun": r"\b(?:of|to|from|in|by|for|with|into|behind|between) (?:which|whom)\b|\bwhose\b",
    NOUN: r"(?:^|[.:;] )What (?:it|this|the|a|an|is|has|was|cannot|can|others|one|they|does)\b",
    "a person for a process": r"\b(?:nobody|somebody|whoever|anybody|who (?:asks|waits|has|reads|wants|knows|drew))\b",
    "a card for a GPU": r"\b(?:graphics )?cards?\b",
    "plainer: except": r"\bbut for\b",
    "plainer: alternately": r"\bby turns\b|\bin turn\b",
    "plainer: instead of": r"\bin place of\b",
    "plainer: next to, in addition to, compared with": r"\bbesides?\b",
    "plainer: the same number of": r"\bas many(?: \w+){0,2} as\b",
    "plainer: available": r"\bto be had\b|\b(?:is|are|was|be) had\b",
    "plainer: otherwise": r"(?:[,;.] |\b[Oo]r )[Ee]lse\b",
    "plainer: also": r", too\b",
    "plainer: about": r"\b[Ss]ome \d",
    "plainer: and so on": r"\band the like\b|\b(?:its|their) (?:kin|like)\b",
    "plainer: forever": r"\bfor ever\b",
    "plainer: its own": r"\bof (?:its|their|his|our) own\b|\bof the \w+'s(?: own)?\b(?! \w)",
}

def is_source(path):
    return path.suffix != ".md" and "include" not in path.parts


def comments(path):
    """Whole lines of comments; an empty one where code is in between."""
    inside = False
    for line in path.read_text(errors="replace").splitlines():
        begins, ends = line.lstrip().startswith("/*"), "*/" in line
        text = re.match(r"^\s*(?:///?<?|/\*\*?|\*(?!/))?\s*(.*)$", line).group(1).replace("*/", "")
        yield re.sub(r"`[^`]*`", "CODE", text) if inside or begins or line.lstrip().startswith("//") else ""
        inside = (inside or begins) and not ends


def prose(path):
    """Lines of what people read, without code."""
    if is_source(path):
        yield from comments(path)
        return
    code = False
    markdown = path.suffix == ".md"
    for line in path.read_text(errors="replace").splitlines():
        if markdown:
            if line.startswith("```"):
                code = not code
            hidden = code or line.startswith(("```", "    ", "<!--")) or not set(line) - set("|- ")
            line = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "CODE", line))
            yield "" if hidden else re.sub(r"(CODE,\s*)+", "", line)  # a list of names is no sentence
            continue
        begins, ends = "/*" in line, "*/" in line
        if begins or code:
            text = line.split("/*", 1)[1] if begins else line
            if not re.match(r"^\s*\*?     ", text):  # an example
                yield re.sub(r"^[\s*]+", "", text.replace("*/", ""))
            elif not ends:
                yield ""
        code = (begins or code) and not ends


def finds_of(path):
    """(finds, words)"""
    found, words, length, sentence = [], 0, 0, ""
    rules = {name: rule for name, rule in RULES.items() if name != NOUN or not is_source(path)}

    def end():
        nonlocal length, sentence
        if length > LONGEST:
            found.append((f"{length} words", sentence[:90]))
        length, sentence = 0, ""

    for line in prose(path):
        words += len(re.findall(r"[A-Za-z][\w'-]*", line))
        for name, expression in rules.items():
            found.extend((name, f"{match.group(0).strip()}: {line.strip()[:90]}") for match in re.finditer(expression, line))
        if not line.strip() or re.match(r"^\s*([|#*-]|\d+\. |@)", line):
            end()
        for piece in re.split(r"(?<=[.!?:;])\s+|\|", line):
            length += len(re.findall(r"[A-Za-z][\w'-]*", piece))
            sentence += piece + " "
            if re.search(r"[.!?:;]\W*$", piece) or line.startswith("#"):
                end()
    end()
    return found, words


def sums(of_files):
    """The same of all files together, as numbers."""
    counts = [(len(found), words) for found, words in of_files]
    return sum(found for found, _ in counts), sum(words for _, words in counts)


def main():
    root = pathlib.Path(sys.argv[1])
    if "--show" in sys.argv:
        for name in sys.argv[sys.argv.index("--show") + 1 :]:
            found, words = finds_of(pathlib.Path(name))
            print("\n".join(f"{name}: {rule}: {text}" for rule, text in found))
            print(f"{name}: {len(found)} in {words} words, {1000 * len(found) / max(words, 1):.1f} in 1,000")
        return
    paths = [*root.glob("*.md"), root / "demos/README.md", root / "python/README.md", *sorted(root.glob("docs/**/*.md"))]
    paths += sorted(root.glob("*/include/**/*.h")) + sorted(root.glob("*/icet/include/**/*.h"))
    if len(paths) < 40:
        sys.exit(f"found {len(paths)} documents and headers, expected 40 or more")
    failed, finds, total = False, 0, 0
    for path in paths:
        name = str(path.relative_to(root))
        found, words = finds_of(path)
        rate = 1000 * len(found) / max(words, 1)
        finds, total = finds + len(found), total + words
        if rate > EACH and len(found) > FEW:
            failed = True
            print(f"{name}: {rate:.1f} finds in 1,000 words, expected {EACH} or fewer: english.py . --show {name}")
    sources = [path for folder in ("core", "glmpi", "vkmpi", "cudampi", "mpiglut", "shaders", "tools", "tests", "demos")
               for pattern in ("*.cpp", "*.h", "*.c", "*.comp", "*.glsl") for path in (root / folder).rglob(pattern)
               if is_source(path)]
    for what, limit, (found, words) in (
            ("pages and headers", ALL, (finds, total)), ("comments", COMMENTS, sums(finds_of(path) for path in sources))):
        rate = 1000 * found / words
        failed = failed or rate > limit
        print(f"{what}: {found} finds in {words} words, {rate:.1f} in 1,000")
    sys.exit(1 if failed else 0)


main()
