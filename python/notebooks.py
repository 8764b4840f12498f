"""Writes the examples as notebooks: python notebooks.py FOLDER [--ranks N] [--mpiexec COMMAND]

A line "# %% Title" of an example begins a cell; editors that know such cells run them one by one. In the notebooks each
cell runs on all ranks: its first line is %%px of ipyparallel, and the notebook's first cell starts the ranks."""
import argparse
import ast
import json
import pathlib
import re

START = """\
import ipyparallel
cluster = ipyparallel.Cluster(engines="mpi", n={ranks})
cluster.engine_launcher_class.mpi_cmd = {mpiexec!r}  # of the MPI that pixmpi was built with
ranks = cluster.start_and_connect_sync(activate=True)
ranks[:].execute("import sys; del sys.argv[1:]", block=True)"""
END = "ranks.shutdown(hub=True)"


def parts(text):
    """The docstring of an example, and (title, code) of its cells."""
    about = ast.get_docstring(ast.parse(text))
    pieces = re.split(r"^# %% (.*)\n", text, flags=re.MULTILINE)
    if len(pieces) < 3 or not about:
        raise ValueError("expected a docstring, and cells that begin with # %% and a title")
    return about, [(title, code.strip("\n")) for title, code in zip(pieces[1::2], pieces[2::2])]


def notebook(name, text, ranks, mpiexec):
    about, cells = parts(text)
    content = [("markdown", f"# {name}\n\n{about}\n\nThese cells need ipyparallel: `pip install ipyparallel`.")]
    content.append(("code", START.format(ranks=ranks, mpiexec=[mpiexec])))
    for title, code in cells:
        content += [("markdown", f"## {title}"), ("code", "%%px\n" + code)]
    content.append(("code", END))
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}},
            "cells": [cell(f"cell-{number}", kind, source) for number, (kind, source) in enumerate(content)]}


def cell(name, kind, source):
    rest = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"id": name, "cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True), **rest}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--ranks", type=int, default=4)
    options.add_argument("--mpiexec", default="mpiexec")
    chosen = options.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    for example in sorted((pathlib.Path(__file__).parent / "examples").glob("*.py")):
        made = notebook(example.stem, example.read_text(), chosen.ranks, chosen.mpiexec)
        (chosen.folder / f"{example.stem}.ipynb").write_text(json.dumps(made, indent=1) + "\n")
        print(chosen.folder / f"{example.stem}.ipynb")


if __name__ == "__main__":
    main()
