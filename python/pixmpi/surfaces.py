"""Surfaces: what holds pixels. Arrays and tensors of any library with DLPack or the buffer protocol; textures,
framebuffers and renderbuffers of moderngl and pyglet; objects of PyOpenGL by their numbers."""
from typing import Any, Callable, Optional, Tuple, Union

from . import _pixmpi
from .arrays import layout, memory_of
from .formats import Format, bytes_of, format_named, format_of

_GL_TEXTURE_2D = 0x0DE1
_GL_BACK, _GL_DEPTH = 0x0405, 0x1801
_GL_COLOR_ATTACHMENT0, _GL_DEPTH_ATTACHMENT = 0x8CE0, 0x8D00
_APIS = ("memory", "in place", "with depth", "OpenGL", "Vulkan", "CUDA")


class Surface:
    """Something that holds pixels, and what keeps it alive. `surface(...)` and its like make them; verbs make them of
    what they are given."""

    def __init__(self, value, owner: Any = None, order: Optional[Callable] = None):
        self._value, self._owner, self._order = value, owner, order

    @property
    def format(self) -> Format:
        """The format of its pixels on their way. The context of an OpenGL object has to be current."""
        return Format(self._value.format)

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height in pixels."""
        return self._value.size

    @property
    def api(self) -> str:
        return _APIS[self._value.api]

    @property
    def owner(self) -> Any:
        """The object that has these pixels."""
        return self._owner

    def sub(self, x: int, y: int, width: int, height: int) -> "Surface":
        """A rectangle as a separate surface: regions count from its corner."""
        return Surface(self._value.sub(x, y, width, height), self._owner, self._order)

    def coded(self, codec: str) -> "Surface":
        """The same, but compressed where it is sent: "lz4", "jpeg:85:444", "auto" (pixMPI_Codec_named)."""
        return Surface(self._value.coded(codec), self._owner, self._order)

    def converted(self, format) -> "Surface":
        """The same texture or framebuffer; OpenGL converts its pixels as they leave or enter."""
        return Surface(_opengl().gl_as(self._value, format_named(format)), self._owner)

    def with_context(self) -> "Surface":
        """The same OpenGL object, of the context that is current now: `copy` and files take it in any thread."""
        return Surface(_opengl().gl_with_context(self._value), self._owner)

    def __repr__(self) -> str:
        return f"<pixmpi.Surface of {self.api}>"


def _opengl():
    if not hasattr(_pixmpi, "gl_texture"):
        raise TypeError("surface: this build of pixmpi has no OpenGL")
    return _pixmpi


def _array(array: Any, format, channels: Optional[bool], stream: Any) -> "Surface":
    memory = memory_of(array, stream)
    height, width, count, pitch = layout(list(memory.shape), list(memory.strides), channels)
    if memory.bits % 8:
        raise TypeError(f"surface: items of {memory.bits} bits, expected whole bytes")
    item = memory.bits // 8
    if format is None:
        format = format_of(memory.kind, memory.bits, count)
    else:
        format = format_named(format)
        if bytes_of(format) != item * count:
            raise TypeError(f"format: {format.name} has {bytes_of(format)} bytes a pixel, expected the array's "
                            f"{item * count}")
    pixels = (memory.keep, memory.writable, memory.address, format, width, height, pitch * item)
    if not memory.on_gpu:
        return Surface(_pixmpi.memory(*pixels), array)
    if not hasattr(_pixmpi, "gpu_memory"):
        raise TypeError("surface: memory of a GPU, and this build of pixmpi has no CUDA: expected memory of the host")
    if not _pixmpi.cuda_is_there():
        raise TypeError("surface: memory of a GPU, and CUDA's driver library, libcuda.so.1, is not there: expected "
                        "memory of the host")
    if pitch < 0:
        raise ValueError("surface: rows in a GPU's memory that lie upside down, expected that they do not")
    return Surface(_pixmpi.gpu_memory(*pixels, memory.stream), array, memory.order)


def surface(of: Any, format: Union[None, str, Format] = None, channels: Optional[bool] = None,
            stream: Any = None) -> Surface:
    """The surface of an object that holds pixels.

    of: an array of shape (height, width) or (height, width, channels), with 1 to 4 channels: in the host's memory
        (numpy, torch and others with DLPack or the buffer protocol) or in a GPU's (torch, cupy, jax, warp, numba and
        others with DLPack or __cuda_array_interface__); a moderngl Texture, Framebuffer (its first colours) or
        Renderbuffer; a pyglet Texture; a Surface. Rows may have gaps; in the host's memory they may lie upside down.
    format: of an array whose numbers mean something else: "DEPTH32F", "RGBA8_SRGB". As many bytes a pixel as the array
        has. Of an OpenGL object: OpenGL converts.
    channels: False: an array's last axis is the width, and all axes before it count as rows.
    stream: of CUDA, as an object or its number: messages see the work submitted to it before they start. Without it, a
        verb lets the array's library order its current stream before the message, each time; starts of persistent
        requests do not, they see the work of CUDA's default stream. Afterwards all streams see the pixels.

    uint8 and uint16 are colours from 0 to 1 (RGBA8, R16): a SUM of them stops at 1. Say "RGBA8UI" for numbers that wrap.
    TypeError for what has no pixels or no such format; ValueError for arrays whose rows are not contiguous.
    """
    if isinstance(of, Surface):
        if stream is not None:
            raise TypeError("stream: of a Surface, which has its own, expected an array of a GPU")
        if of._order:
            of._order()
        return of.converted(format) if format is not None else of
    module, name = type(of).__module__.partition(".")[0], type(of).__name__
    if module in ("moderngl", "mgl"):
        made = _moderngl(of, name)
    elif module == "pyglet" and hasattr(of, "id") and hasattr(of, "target"):
        made = texture(of.id, target=of.target, level=getattr(of, "level", 0))
        made._owner = of
    else:
        return _array(of, format, channels, stream)
    return made.converted(format) if format is not None else made


def _moderngl(of: Any, name: str) -> Surface:
    if name == "Texture":
        value = _opengl().gl_texture(0, of.glo, 0, 0)
    elif name == "Renderbuffer":
        value = _opengl().gl_renderbuffer(of.glo)
    elif name == "Framebuffer":
        value = _opengl().gl_framebuffer(of.glo, _GL_COLOR_ATTACHMENT0 if of.glo else _GL_BACK)
    elif name == "Buffer":
        raise TypeError("surface: a moderngl Buffer says nothing of pixels: pixmpi.buffer(buffer, format, size)")
    else:
        raise TypeError(f"surface: a moderngl {name} has layers: pixmpi.texture(it, layer=...) names one of them")
    return Surface(value, of)


def _number(of: Any) -> int:
    """The name of an OpenGL object: itself, or what packages call it."""
    for attribute in ("glo", "id"):
        if hasattr(of, attribute):
            return int(getattr(of, attribute))
    return int(of)


def texture(of: Any, target: int = 0, level: int = 0, layer: int = 0) -> Surface:
    """A level and a layer of a texture: an object of moderngl or pyglet, or an OpenGL name. target: the texture's; 0 is
    GL_TEXTURE_2D where OpenGL is older than 4.5, else the library asks. layer: of an array, slice of a 3D texture, face
    of a cube."""
    return Surface(_opengl().gl_texture(target, _number(of), level, layer), of)


def framebuffer(of: Any, attachment: Optional[int] = None) -> Surface:
    """One attachment of a framebuffer: GL_COLOR_ATTACHMENT0 unless said; of the window (0) GL_BACK."""
    number = _number(of)
    if attachment is None:
        attachment = _GL_COLOR_ATTACHMENT0 if number else _GL_BACK
    return Surface(_opengl().gl_framebuffer(number, attachment), of)


def renderbuffer(of: Any) -> Surface:
    return Surface(_opengl().gl_renderbuffer(_number(of)), of)


def buffer(of: Any, format, size: Tuple[int, int], offset: int = 0, row_bytes: Optional[int] = None) -> Surface:
    """Pixels in a buffer object. size: width and height; row_bytes: from one row to the next, without gaps unless
    said."""
    return Surface(_opengl().gl_buffer(_number(of), format_named(format), *size, offset, row_bytes), of)


def with_depth(colors: Any, depths: Any) -> Surface:
    """Colours and depths as one surface, for NEAREST and for messages that move both. An array of float32 is taken for
    depths, DEPTH32F."""
    colors = surface(colors)
    if not isinstance(depths, Surface):
        depth_array = not type(depths).__module__.startswith(("moderngl", "mgl", "pyglet"))
        depths = surface(depths, Format.DEPTH32F if depth_array else None)
    orders = [one._order for one in (colors, depths) if one._order]
    return Surface(_pixmpi.with_depth(colors._value, depths._value), (colors._owner, depths._owner),
                   (lambda: [order() for order in orders]) if orders else None)


IN_PLACE = Surface(_pixmpi.in_place())  # "the pixels are where the result will be"
NO_SURFACE = Surface(_pixmpi.no_surface())  # for a side that does not matter on this rank
