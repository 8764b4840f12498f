"""All ranks write one TIFF together; then each reads a tile of it into a texture: mpiexec -n 4 python tiff_tile.py
[FOLDER]"""

# %% Where the file is
import os
import sys
import tempfile

import moderngl
import numpy as np
import pixmpi
from mpi4py import MPI

comm = pixmpi.attach()
folder = MPI.COMM_WORLD.bcast(sys.argv[1] if sys.argv[1:] else tempfile.mkdtemp() if comm.rank == 0 else None)
path = os.path.join(folder, "wall.tif")
size = (256, 64 * comm.size)

# %% All ranks write one file
with comm.open(path, "w") as file:
    band = np.full((64, 256, 3), 40 * comm.rank + 10, np.uint8)
    file.write(band, rect=(0, 64 * comm.rank, 256, 64), picture=pixmpi.Picture.tiff("RGB8", size, tiles=(64, 64)))

# %% Each rank reads a tile of the next rank's band into a texture
context = pixmpi.GLContext()
texture = moderngl.create_context().texture((64, 64), 3, alignment=1)
with comm.open(path) as file:
    assert file.picture.size == size
    below = (comm.rank + 1) % comm.size
    file.read(texture, rect=(64, 64 * below, 64, 64))
tile = np.frombuffer(texture.read(alignment=1), np.uint8)
assert (tile == 40 * below + 10).all()
print(f"rank {comm.rank} has a tile of rank {below}'s band")
if comm.rank == 0 and not sys.argv[1:]:
    os.remove(path)
    os.rmdir(folder)
