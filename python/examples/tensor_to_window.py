"""Rank 0 computes a picture, a tensor of torch or an array of numpy, and each rank shows it in a window of pyglet:
mpiexec -n 2 python tensor_to_window.py [FOLDER]

With a folder, no window is shown: three frames are drawn off screen, and each rank writes the last one."""

# %% A window on each rank
import sys

import numpy as np
import pixmpi
import pyglet

folder = sys.argv[1] if sys.argv[1:] else None
pyglet.options["headless"] = folder is not None  # pyglet then takes its context from EGL
from mpi4py import MPI  # noqa: E402
from pyglet.image import Texture  # noqa: E402, as pyglet looks at its options once it needs OpenGL

try:
    import torch
except ImportError:
    torch = None

WIDTH, HEIGHT = 320, 240
comm = pixmpi.attach()
window = pyglet.window.Window(WIDTH, HEIGHT, caption=f"rank {comm.rank}")
texture = Texture.create(WIDTH, HEIGHT)


# %% The picture of a frame
def ripple(frame):
    """Rings that run outwards, as (height, width, 4) bytes; the first row is the lowest."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    wave = 0.5 + 0.5 * np.sin(0.15 * np.hypot(x - WIDTH / 2, y - HEIGHT / 2) - 0.2 * frame)
    pixels = np.stack([255 * wave, 128 * wave, 255 - 255 * wave, 255 + 0 * wave], axis=-1).astype(np.uint8)
    return torch.from_numpy(pixels) if torch else pixels


# %% Frames until a window is closed
def goes_on(frame):
    """The same answer on all ranks: a window that is closed ends them all."""
    return frame < 3 if folder else not MPI.COMM_WORLD.allreduce(window.has_exit, MPI.LOR)


frame = 0
while goes_on(frame):
    window.switch_to()
    window.dispatch_events()
    if comm.rank == 0:
        pixmpi.copy(ripple(frame), texture)
    comm.bcast(texture, root=0)
    texture.blit(0, 0)
    window.flip()
    frame += 1

# %% Off screen: what the window would show
if folder:
    picture = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    pixmpi.copy(texture, picture)
    assert (picture == np.asarray(ripple(frame - 1))).all()
    with open(f"{folder}/tensor_to_window.{comm.rank}.ppm", "wb") as file:
        file.write(b"P6 %d %d 255\n" % (WIDTH, HEIGHT) + picture[::-1, :, :3].tobytes())
    print("rank", comm.rank, "shows", f"{folder}/tensor_to_window.{comm.rank}.ppm")
