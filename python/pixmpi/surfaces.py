"""Surfaces: what holds pixels. Arrays and tensors of any library with DLPack or the buffer protocol; textures,
framebuffers and renderbuffers of moderngl and pyglet; objects of PyOpenGL by their numbers."""
from typing import Any, Optional, Tuple, Union

from . import _pixmpi
from .formats import Format, bytes_of, format_named, format_of

_GL_TEXTURE_2D = 0x0DE1
_GL_BACK, _GL_DEPTH = 0x0405, 0x1801
_GL_COLOR_ATTACHMENT0, _GL_DEPTH_ATTACHMENT = 0x8CE0, 0x8D00
_APIS = ("memory", "in place", "with depth", "OpenGL", "Vulkan")


class Surface:
    """Something that holds pixels, and what keeps it alive. `surface(...)` and its like make them; verbs make them of
    what they are given."""

    def __init__(self, value, owner: Any = None):
        self._value, self._owner = value, owner

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
        return Surface(self._value.sub(x, y, width, height), self._owner)

    def coded(self, codec: str) -> "Surface":
        """The same, but compressed where it is sent: "lz4", "jpeg:85:444", "auto" (pixMPI_Codec_named)."""
        return Surface(self._value.coded(codec), self._owner)

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


def _layout(shape, strides, channels: Optional[bool]):
    """(height, width, channels, items from row to row) of an array of pixels."""
    if not shape:
        raise TypeError("surface: an array without axes, expected one of 1 to 3")
    if channels is None:
        channels = len(shape) == 3
    count, step = 1, 1
    if channels:
        count, step = shape[-1], strides[-1]
        shape, strides = shape[:-1], strides[:-1]
        if not 1 <= count <= 4:
            raise TypeError(f"surface: {count} channels on the last axis, expected 1 to 4 (channels=False: the last axis "
                            "is the width)")
        if not shape:
            shape, strides = [1], [count]
    if count > 1 and step != 1 or shape[-1] > 1 and strides[-1] != count:
        raise ValueError("surface: pixels of a row do not lie one behind the other, expected that they do: send a "
                         "contiguous copy, or the whole array with a region")
    width, rows, pitches = shape[-1], shape[:-1], strides[:-1]
    height, pitch = 1, width * count
    for size, stride in zip(reversed(rows), reversed(pitches)):
        if size == 1:
            continue
        if height == 1:
            pitch = stride
        elif stride != pitch * height:
            raise ValueError("surface: planes of an array do not follow each other like rows, expected that they do")
        height *= size
    return height, width, count, pitch


def _array(array: Any, format, channels: Optional[bool]) -> Surface:
    view = array
    if not hasattr(array, "__dlpack__"):
        try:
            view = memoryview(array)  # which knows strides, also where its object does not say them
        except TypeError:
            if hasattr(array, "__cuda_array_interface__"):
                raise TypeError("surface: memory of a GPU by __cuda_array_interface__, which this build cannot reach: "
                                "expected memory of the host") from None
            raise TypeError(f"surface: a {type(array).__module__}.{type(array).__qualname__}, expected an array, a "
                            "tensor, or an object of moderngl, pyglet or pixmpi") from None
    host, _, address, shape, strides, kind, bits = _pixmpi.describe(view)
    if not host:
        raise TypeError("surface: a tensor in a GPU's memory, which this build cannot reach: expected memory of the host")
    height, width, count, pitch = _layout(list(shape), list(strides), channels)
    if bits % 8:
        raise TypeError(f"surface: items of {bits} bits, expected whole bytes")
    if format is None:
        format = format_of(kind, bits, count)
    else:
        format = format_named(format)
        if bytes_of(format) != bits // 8 * count:
            raise TypeError(f"format: {format.name} has {bytes_of(format)} bytes a pixel, expected the array's "
                            f"{bits // 8 * count}")
    return Surface(_pixmpi.memory(view, address, format, width, height, pitch * bits // 8), array)


def surface(of: Any, format: Union[None, str, Format] = None, channels: Optional[bool] = None) -> Surface:
    """The surface of an object that holds pixels.

    of: an array (numpy, torch and others with DLPack or the buffer protocol) in the host's memory, of shape (height,
        width) or (height, width, channels), with 1 to 4 channels; a moderngl Texture, Framebuffer (its first colours)
        or Renderbuffer; a pyglet Texture; a Surface. Rows may have gaps, and may lie upside down.
    format: of an array whose numbers mean something else: "DEPTH32F", "RGBA8_SRGB". As many bytes a pixel as the array
        has. Of an OpenGL object: OpenGL converts.
    channels: False: an array's last axis is the width, and all axes before it count as rows.

    uint8 and uint16 are colours from 0 to 1 (RGBA8, R16): a SUM of them stops at 1. Say "RGBA8UI" for numbers that wrap.
    TypeError for what has no pixels or no such format; ValueError for arrays whose rows are not contiguous.
    """
    if isinstance(of, Surface):
        return of.converted(format) if format is not None else of
    module, name = type(of).__module__.partition(".")[0], type(of).__name__
    if module in ("moderngl", "mgl"):
        made = _moderngl(of, name)
    elif module == "pyglet" and hasattr(of, "id") and hasattr(of, "target"):
        made = texture(of.id, target=of.target, level=getattr(of, "level", 0))
        made._owner = of
    else:
        return _array(of, format, channels)
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
    return Surface(_pixmpi.with_depth(colors._value, depths._value), (colors._owner, depths._owner))


IN_PLACE = Surface(_pixmpi.in_place())  # "the pixels are where the result will be"
NO_SURFACE = Surface(_pixmpi.no_surface())  # for a side that does not matter on this rank
