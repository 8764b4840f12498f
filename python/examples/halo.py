"""Heat that spreads in a field which the ranks share, with a halo of one column on each side: mpiexec -n 4 python halo.py
The field is in the memory of a GPU where cupy finds one."""

# %% Ranks in a ring, each with a part of the field
import pixmpi
from mpi4py import MPI

try:
    import cupy as np
    np.cuda.Device(MPI.COMM_WORLD.rank % np.cuda.runtime.getDeviceCount()).use()
except Exception:  # no cupy, or no GPU
    import numpy as np

ring = pixmpi.attach(MPI.COMM_WORLD.Create_cart([MPI.COMM_WORLD.size], periods=[True]))
field = np.zeros((64, 34), np.float32)  # 32 columns, and one of each neighbour
if ring.rank == 0:
    field[32, 16] = 1000

# %% Steps, with the columns of both neighbours
# Which columns go to the left and to the right neighbour, and where theirs come: made once, started each step.
send, recv = [(1, 0, 1, 64), (32, 0, 1, 64)], [(0, 0, 1, 64), (33, 0, 1, 64)]
exchange = ring.neighbor_alltoall_init(field, send, field, recv)
for step in range(100):
    exchange.start().wait()
    inner = field[1:-1, 1:-1]
    inner += 0.2 * (field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:] - 4 * inner)
exchange.free()

# %% Heat is neither lost nor made
heat = MPI.COMM_WORLD.allreduce(float(field[:, 1:-1].sum(dtype="f8")))
assert abs(heat - 1000) < 1, heat
if ring.rank == 0:
    print(f"{heat:.1f} of 1000 are still there")
