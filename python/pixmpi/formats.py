"""Formats of pixels, and which one an array's channels have."""
import enum

from . import _pixmpi

_ALL = _pixmpi.formats()

Format = enum.IntEnum("Format", {name: number for number, (name, _) in enumerate(_ALL) if number > 0}, module=__name__)
Format.__doc__ = "The formats of pixmpi_surface.h by their names without PIXMPI_: Format.RGBA8, Format.DEPTH32F."

# Integers of 8 and 16 bits that have no sign are pictures' (0 is 0 and the largest is 1), others are numbers.
_SUFFIX = {("uint", 8): "8", ("int", 8): "8I", ("uint", 16): "16", ("int", 16): "16I", ("uint", 32): "32UI",
           ("int", 32): "32I", ("float", 16): "16F", ("float", 32): "32F"}
_CHANNELS = ("R", "RG", "RGB", "RGBA")


def bytes_of(format: int) -> int:
    """Bytes of one pixel."""
    return _ALL[format][1]


def format_named(format) -> "Format":
    """A Format from itself, its number, or its name in any case, with or without PIXMPI_."""
    if isinstance(format, str):
        name = format.upper().removeprefix("PIXMPI_")
        if name not in Format.__members__:
            raise ValueError(f"format: no format {format!r}, expected one as RGBA8 or R32F (list(pixmpi.Format) has all)")
        return Format[name]
    return Format(format)


def format_of(kind: str, bits: int, channels: int) -> "Format":
    """The format of `channels` numbers of one kind; TypeError where there is none."""
    if (kind, bits) not in _SUFFIX:
        hint = {64: "RG32UI", 128: "RGBA32UI"}.get(bits)
        advice = f"; messages that compute nothing can say format={hint!r}" if hint and channels == 1 else ""
        raise TypeError(f"surface: no format of pixels has numbers of the kind {kind}{bits}{advice}")
    return Format[_CHANNELS[channels - 1] + _SUFFIX[kind, bits]]
