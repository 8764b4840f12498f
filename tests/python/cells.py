"""Runs the cells of notebooks as all ranks' engines do, one by one in one namespace: cells.py NOTEBOOK ARGUMENT..."""
import json
import sys

from mpi4py import MPI

with open(sys.argv[1]) as file:
    book = json.load(file)
assert book["nbformat"] == 4 and len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
codes = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
of_ranks = [code.removeprefix("%%px\n") for code in codes if code.startswith("%%px\n")]
# The first cell starts the ranks, the last one ends them; both run in the notebook alone.
assert len(of_ranks) == len(codes) - 2 >= 2, f"{len(of_ranks)} of {len(codes)} cells are for ranks"
for code in (codes[0], codes[-1]):
    compile(code, "notebook", "exec")
del sys.argv[:1]
names = {"__name__": "__main__"}
for number, code in enumerate(of_ranks):
    exec(compile(code, f"{sys.argv[0]}, cell {number}", "exec"), names)
    MPI.COMM_WORLD.Barrier()
