"""MPI messages whose ends are pixels: numpy arrays, tensors, OpenGL textures, Vulkan images.

    from mpi4py import MPI
    import pixmpi

    comm = pixmpi.attach(MPI.COMM_WORLD)             # once, by all ranks
    if comm.rank == 0:
        comm.send(texture, dest=1)                   # a moderngl texture
    else:
        comm.recv(array, source=0)                   # a numpy array of the same pixels

Verbs and their arguments are MPI's, with a surface and a region where MPI has a buffer, a count and a datatype. A
surface is anything that holds pixels (`pixmpi.surface`), a region says which of them (`pixmpi.Region`); a slice of an
array is a separate surface. Calls that fail raise `pixmpi.Error`.

MPI has to be the one that the library was built with, and that mpi4py uses: importing tells when it is not.
"""
import os as _os

_folder = _os.path.dirname(_os.path.abspath(__file__))
if not any(_name.startswith("_pixmpi.") for _name in _os.listdir(_folder)):
    raise ImportError(f"{_folder} has the sources of pixmpi: start Python in another folder, where it finds the package "
                      "that pip has installed")

from . import _pixmpi
from .errors import Error
from .formats import Format
from .regions import Region, WHOLE
from .surfaces import IN_PLACE, NO_SURFACE, Surface, buffer, framebuffer, renderbuffer, surface, texture, with_depth
from .operations import (BAND, BOR, BXOR, MAX, MIN, NEAREST, OVER, OVER_STRAIGHT, PROD, SUM, Op)
from .requests import Request, waitall, waitany
from .comm import Comm, attach, copy, copy_init, icopy, progress
from .compositor import Compositor, balance
from .files import File, Picture, open
from .contexts import GLContext, VulkanContext

ANY_SOURCE: int = _pixmpi.ANY_SOURCE
ANY_TAG: int = _pixmpi.ANY_TAG
PROC_NULL: int = _pixmpi.PROC_NULL
__version__ = ".".join(map(str, _pixmpi.version()))

# A call that fails raises; it also prints a line, or ends the job, only where the environment asks for that.
if "PIXMPI_ERRORS" not in _os.environ:
    _pixmpi.errors_return()


def stats() -> dict:
    """The counts of this process: messages and bytes, sent and received, by route and by way."""
    return _pixmpi.stats()


__all__ = ["ANY_SOURCE", "ANY_TAG", "BAND", "BOR", "BXOR", "Comm", "Compositor", "Error", "File", "Format", "GLContext",
           "IN_PLACE", "MAX", "MIN", "NEAREST", "NO_SURFACE", "OVER", "OVER_STRAIGHT", "Op", "PROC_NULL", "PROD",
           "Picture", "Region", "Request", "SUM", "Surface", "VulkanContext", "WHOLE", "attach", "balance", "buffer",
           "copy", "copy_init", "framebuffer", "icopy", "open", "progress", "renderbuffer", "stats", "surface",
           "texture", "waitall", "waitany", "with_depth"]
