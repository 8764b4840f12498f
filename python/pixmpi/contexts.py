"""Contexts for programs that have none: OpenGL without a window, and Vulkan."""
from typing import Any, Iterable, Optional, Tuple

from . import _pixmpi
from .formats import format_named
from .surfaces import Surface


class GLContext:
    """An OpenGL context without a window, on the GPU of this rank, current in this thread. moderngl.create_context()
    and PyOpenGL use the context that is current.

    device: a GPU's number, a part of its name, or "software"; the ranks of a host take the GPUs in turn unless said.
    version: of OpenGL, at least. size: of a default framebuffer, if there is to be one. share: a GLContext whose
    textures this one sees.
    """

    def __init__(self, device: Optional[str] = None, version: Tuple[int, int] = (0, 0), compatibility: bool = False,
                 size: Tuple[int, int] = (0, 0), debug: bool = False, share: Optional["GLContext"] = None):
        if not hasattr(_pixmpi, "gl_context"):
            raise RuntimeError("GLContext: this build of pixmpi has no OpenGL")
        self._context = _pixmpi.gl_context(device if device is None else str(device), *version, compatibility, *size,
                                           debug, None if share is None else share._context)

    def bind(self) -> "GLContext":
        """Makes it current in the calling thread."""
        self._context.bind()
        return self

    @staticmethod
    def function(name: str) -> int:
        """The address of a function of OpenGL, 0 where there is none: what loaders ask for."""
        return _pixmpi.gl_function(name)

    def free(self) -> None:
        """Frees it; requests on its surfaces have to be complete."""
        self._context.free()

    def __enter__(self) -> "GLContext":
        return self.bind()

    def __exit__(self, *_) -> None:
        self.free()

    def __repr__(self) -> str:
        return f"<pixmpi.GLContext: {self._context.text()}>"


def _number(handle: Any) -> int:
    """A handle of Vulkan as a number: itself, or what the package `vulkan` has."""
    if isinstance(handle, int):
        return handle
    try:
        from vulkan import ffi
    except ImportError:
        raise TypeError(f"handle: a {type(handle).__name__}, expected a number or a handle of the package vulkan") from None
    return int(ffi.cast("uintptr_t", handle))


class VulkanContext:
    """A device and a queue of Vulkan, for messages of its images and buffers, in the thread that made it.

    Without arguments the library makes them; `handles` says what it has made. Else: handles of the program's own, as
    numbers or as the package `vulkan` has them, and the names of the device's extensions.
    """

    def __init__(self, instance: Any = None, physical_device: Any = None, device: Any = None, queue: Any = None,
                 queue_family: int = 0, extensions: Iterable[str] = ()):
        if not hasattr(_pixmpi, "vk_context"):
            raise RuntimeError("VulkanContext: this build of pixmpi has no Vulkan")
        given = (instance, physical_device, device, queue)
        if all(handle is None for handle in given):
            self._context = _pixmpi.vk_context()
        elif any(handle is None for handle in given):
            raise TypeError("VulkanContext: expected instance, physical_device, device and queue, or none of them")
        else:
            self._context = _pixmpi.vk_context_of(*map(_number, given), queue_family, list(extensions))

    @property
    def name(self) -> str:
        return self._context.name()

    @property
    def handles(self) -> dict:
        """instance, physical_device, device, queue and queue_family, as numbers."""
        return self._context.handles()

    def bind(self) -> "VulkanContext":
        """Makes the calling thread the context's thread."""
        self._context.bind()
        return self

    def image(self, image: Any, format, size: Tuple[int, int], usage: int, layout: int, *, levels: int = 1,
              layers: int = 1, level: int = 0, layer: int = 0, tiling: int = 0) -> Surface:
        """The surface of a 2D image. format: one of pixmpi.Format, or Vulkan's number. usage, tiling: as the image was
        created; layout: the image's, before and after messages."""
        number = format if isinstance(format, int) and not hasattr(format, "name") else _pixmpi.vk_format(
            format_named(format))
        return Surface(_pixmpi.vk_image(self._context, _number(image), number, *size, usage, layout, levels, layers,
                                        level, layer, tiling, self._context), image)

    def buffer(self, buffer: Any, format, size: Tuple[int, int], usage: int, offset: int = 0,
               row_bytes: Optional[int] = None) -> Surface:
        """The surface of pixels in a buffer, rows without gaps unless said. usage: as the buffer was created."""
        return Surface(_pixmpi.vk_buffer(self._context, _number(buffer), format_named(format), *size, offset, row_bytes,
                                         usage, self._context), buffer)

    def free(self) -> None:
        """Frees it, and what the library has made for it."""
        self._context.free()

    def __enter__(self) -> "VulkanContext":
        return self

    def __exit__(self, *_) -> None:
        self.free()

    def __repr__(self) -> str:
        return f"<pixmpi.VulkanContext: {self.name}>"
