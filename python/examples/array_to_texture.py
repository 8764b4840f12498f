"""A numpy array of rank 0 into a texture of each other rank, and back: mpiexec -n 4 python array_to_texture.py"""

# %% A context of OpenGL on each rank
import moderngl
import numpy as np
import pixmpi

comm = pixmpi.attach()
context = pixmpi.GLContext()  # without a window, on this rank's GPU
gl = moderngl.create_context()

# %% Rank 0 sends an array and a slice of it; the other ranks receive both into a texture
picture = np.zeros((270, 480, 4), np.uint8)
if comm.rank == 0:
    picture[..., 0] = np.linspace(0, 255, 480)  # red from left to right
    picture[..., 3] = 255
    for rank in range(1, comm.size):
        comm.send(picture, dest=rank)
        comm.send(picture[:135, :240], dest=rank, tag=1)  # a slice is a surface of its own
else:
    texture = gl.texture((480, 270), 4)
    comm.recv(texture, source=0, tag=0)
    comm.recv(texture, source=0, tag=1, region=(240, 135, 240, 135))
    pixmpi.copy(texture, picture)
    assert (picture[135:, 240:] == picture[:135, :240]).all() and picture[0, -1, 0] == 255
    print(f"rank {comm.rank} has it, on {context}")
