"""Files of pixels: raw ones and TIFFs, read and written by all ranks together, into surfaces of any API."""
import os
from typing import Any, Optional, Tuple

from . import _pixmpi
from .formats import Format, format_named
from .regions import RegionLike, region_of
from .requests import Request
from .surfaces import surface

_READ, _WRITE, _CREATE, _CACHED = 1, 2, 4, 8
_MODES = {"r": _READ, "r+": _READ | _WRITE, "w": _READ | _WRITE | _CREATE}


class Picture:
    """The contents of a file. size: width and height. tiles: of a TIFF; (0, 0): strips of whole rows."""

    def __init__(self, value):
        self._value = value

    @classmethod
    def raw(cls, format, size: Tuple[int, int], offset: int = 0, row_bytes: int = 0) -> "Picture":
        """Pixels alone: rows without gaps from the byte `offset` on, unless row_bytes says how far rows are apart."""
        value = _pixmpi.raw_picture(format_named(format), *size)
        value.offset, value.row_bytes = offset, row_bytes
        return cls(value)

    @classmethod
    def tiff(cls, format, size: Tuple[int, int], tiles: Tuple[int, int] = (0, 0), upside_down: bool = False) -> "Picture":
        """An uncompressed TIFF of grey or RGB."""
        value = _pixmpi.tiff_picture(format_named(format), *size, *tiles)
        value.upside_down = upside_down
        return cls(value)

    @property
    def size(self) -> Tuple[int, int]:
        return self._value.width, self._value.height

    @property
    def format(self) -> Format:
        return Format(self._value.format)

    @property
    def upside_down(self) -> bool:
        return self._value.upside_down

    def __repr__(self) -> str:
        kind = ("raw", "tiff")[self._value.container]
        return f"Picture.{kind}({self.format.name!r}, {self.size})"


class File:
    """An open file; `pixmpi.open` opens it. A communicator's file is read and written by all its ranks together; one of
    this process alone by itself."""

    def __init__(self, path, mode: str, comm, cached: bool):
        if mode not in _MODES:
            raise ValueError(f"mode: {mode!r}, expected one of {', '.join(_MODES)}")
        self._comm = comm
        self._file = _pixmpi.file_open(None if comm is None else comm._handle, os.fspath(path),
                                       _MODES[mode] | (_CACHED if cached else 0), (comm,))

    @property
    def picture(self) -> Picture:
        """Of a TIFF, what it holds."""
        return Picture(self._file.picture())

    def iread(self, into: Any, rect: RegionLike = None, picture: Optional[Picture] = None, region: RegionLike = None,
              collective: Optional[bool] = None) -> Request:
        """Reads pixels of the picture, those of `rect`, into a surface, there into `region`. picture: what the file
        holds; of a TIFF, what it says itself. collective: whether all ranks take part, as they do unless said."""
        return self._transfer("read", into, rect, picture, region, collective)

    def iwrite(self, of: Any, rect: RegionLike = None, picture: Optional[Picture] = None, region: RegionLike = None,
               collective: Optional[bool] = None) -> Request:
        """Writes pixels of a surface to where `rect` says in the picture. picture: what the file is to hold; without it a
        raw one of the surface's format and size."""
        return self._transfer("write", of, rect, picture, region, collective)

    def read(self, *arguments, **options) -> None:
        """`iread`, and waits."""
        self.iread(*arguments, **options).wait()

    def write(self, *arguments, **options) -> None:
        """`iwrite`, and waits."""
        self.iwrite(*arguments, **options).wait()

    def _transfer(self, verb, of, rect, picture, region, collective) -> Request:
        made = surface(of)
        if picture is None:
            picture = self.picture if verb == "read" else Picture.raw(made.format, made.size)
        everyone = self._comm is not None if collective is None else collective
        function = getattr(_pixmpi, f"i{verb}_at" + ("_all" if everyone else ""))
        return Request(function(self._file, picture._value, region_of(rect), made._value, region_of(region),
                                (self, made)))

    def close(self) -> None:
        """Closes it; all ranks call it."""
        self._file.close()

    def __enter__(self) -> "File":
        return self

    def __exit__(self, kind, *_) -> None:
        if kind is None or self._comm is None:  # other ranks may never come
            self.close()


def open(path, mode: str = "r", comm=None, cached: bool = False) -> File:
    """Opens a file of pixels: "r" to read, "r+" to change what is there, "w" to write it anew. comm: an attached Comm
    whose ranks all call this; None: this process alone. cached: through the system's page cache."""
    return File(path, mode, comm, cached)
