"""Each rank draws a triangle by moderngl; rank 0 gets the picture with what is in front: mpiexec -n 4 python sort_last.py
[FOLDER]"""

# %% What each rank draws with
import sys

import moderngl
import numpy as np
import pixmpi

WIDTH, HEIGHT = 320, 240
comm = pixmpi.attach()
context = pixmpi.GLContext()
gl = moderngl.create_context()
program = gl.program(
    vertex_shader="""#version 330
        uniform float turn; uniform float depth;
        void main() {
            float angle = turn + 2.0944 * float(gl_VertexID);
            gl_Position = vec4(0.8 * cos(angle), 0.8 * sin(angle), depth, 1.0);
        }""",
    fragment_shader="""#version 330
        uniform vec3 color; out vec4 pixel;
        void main() { pixel = vec4(color, 1.0); }""")
color, depth = gl.texture((WIDTH, HEIGHT), 4), gl.depth_texture((WIDTH, HEIGHT))
target = gl.framebuffer([color], depth)
array = gl.vertex_array(program, [])
picture = np.zeros((HEIGHT, WIDTH, 4), np.uint8) if comm.rank == 0 else None

# %% Frames: each rank draws, and all merge by depth
with comm.compositor(pixmpi.NEAREST) as compositor:
    for frame in range(3):
        target.use()
        target.clear(depth=1.0)
        gl.enable(moderngl.DEPTH_TEST)
        program["turn"] = 0.1 * frame + 0.4 * comm.rank
        program["depth"] = 0.1 * comm.rank
        program["color"] = [(1.0, 0.2, 0.2), (0.2, 1.0, 0.2), (0.2, 0.2, 1.0), (1.0, 1.0, 0.2)][comm.rank % 4]
        array.render(moderngl.TRIANGLES, vertices=3)
        compositor.composite((pixmpi.surface(color), pixmpi.surface(depth)), picture)

# %% Rank 0 has the picture
if comm.rank == 0:
    assert (picture[HEIGHT // 2, WIDTH // 2] == [255, 51, 51, 255]).all()  # rank 0's triangle is in front
    if sys.argv[1:]:
        with open(f"{sys.argv[1]}/sort_last.ppm", "wb") as file:
            file.write(b"P6 %d %d 255\n" % (WIDTH, HEIGHT) + picture[::-1, :, :3].tobytes())
    print("composed:", compositor.comm.size, "triangles")
