"""Messages from Python by ctypes alone: every constructor and verb is an exported function, every value a structure.

   messages.py LIBPIXMPI LIBGLMPI mpich|openmpi     on two ranks; rank 1 prints what has arrived
"""
import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_int32, c_int64, c_ssize_t, c_uint8, c_uint32, c_void_p


class Codec(ctypes.Structure):
    _fields_ = [(name, c_uint8) for name in ("kind", "quality", "subsampling", "alpha")]


class Rect(ctypes.Structure):
    _fields_ = [(name, c_int32) for name in ("x", "y", "width", "height")]


class Surface(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("offset", c_int64), ("row_bytes", c_ssize_t), ("format", c_int), ("width", c_int),
                ("height", c_int), ("codec", Codec), ("api", c_uint8), ("kind", c_uint8), ("as_", c_uint8),
                ("has_part", c_uint8), ("part", Rect), ("name", c_uint32)]


pixmpi_path, glmpi_path, mpi = sys.argv[1:]
pixmpi = ctypes.CDLL(pixmpi_path, ctypes.RTLD_GLOBAL)
glmpi = ctypes.CDLL(glmpi_path)

if mpi == "openmpi":
    Comm = c_void_p
    world = Comm(ctypes.addressof(ctypes.c_char.in_dll(pixmpi, "ompi_mpi_comm_world")))
    ignore = None
else:
    Comm = c_int
    world = Comm(0x44000000)
    ignore = c_void_p(1)
whole = c_void_p(1)


def function(library, name, result, *arguments):
    found = getattr(library, name)
    found.restype, found.argtypes = result, arguments
    return found


error_text = function(pixmpi, "pixMPI_Error_text", c_char_p)


def call(name, *arguments):
    """A verb of libpixmpi, which has to succeed."""
    verb = getattr(pixmpi, name)
    code = verb(*arguments)
    if code:
        sys.exit(f"{name} returned {code}: {error_text().decode()}")


format_named = function(pixmpi, "pixMPI_Format_named", c_int, c_char_p)
memory = function(pixmpi, "pixMPI_Memory", Surface, c_void_p, c_int, c_int, c_int)
codec_of = function(pixmpi, "pixMPI_Codec_of", Codec, c_int, c_int)
coded = function(pixmpi, "pixMPI_Coded", Surface, Surface, Codec)
in_place = function(pixmpi, "pixMPI_In_place", Surface)
with_depth = function(pixmpi, "pixMPI_With_depth", Surface, POINTER(Surface), POINTER(Surface))
texture_2d = function(glmpi, "glMPI_Texture2D", Surface, c_uint32)
assert ctypes.sizeof(Surface) == 64, ctypes.sizeof(Surface)

rank = c_int()
pixmpi.MPI_Init(None, None)
pixmpi.MPI_Comm_rank(world, byref(rank))
call("pixMPI_Comm_attach", world, None)

# Rows of one rank as columns of the other; compressed by LZ4, which loses nothing.
pixels = (c_uint8 * 12)(*range(1, 13))
if rank.value == 0:
    call("pixMPI_Send", coded(memory(pixels, format_named(b"R8"), 4, 3), codec_of(2, 0)), whole, 1, 7, world)
else:
    columns = c_void_p()
    call("pixMPI_Region_columns", 0, 4, 0, 3, 1, byref(columns))
    call("pixMPI_Region_commit", byref(columns))
    call("pixMPI_Recv", memory(pixels, format_named(b"R8"), 3, 4), columns, 0, 7, world, ignore)
    call("pixMPI_Region_free", byref(columns))
    print(*pixels)

# Colours and depths, and a collective in place: the nearest of each pixel.
colors = (c_uint32 * 4)(*[100 * (rank.value + 1) + i for i in range(4)])
depths = (ctypes.c_float * 4)(*([0.25, 0.75] * 2 if rank.value else [0.5] * 4))
color, depth = memory(colors, format_named(b"RGBA8"), 2, 2), memory(depths, format_named(b"DEPTH32F"), 2, 2)
nearest = c_void_p(10)
call("pixMPI_Allreduce", in_place(), whole, with_depth(byref(color), byref(depth)), whole, nearest, world)
if rank.value == 1:
    print(*colors)

# A surface of OpenGL, for which this process has no context.
code = pixmpi.pixMPI_Send(texture_2d(1), whole, rank.value, 1, world)
if rank.value == 1:
    print("no context" if code == 10 and b"pixMPI_Send" in error_text() else f"{code}: {error_text()}")
pixmpi.MPI_Finalize()
