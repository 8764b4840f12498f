"""Arrays and tensors: what memory they have, where it is, and how their pixels lie in it."""
import re
from typing import Any, NamedTuple, Optional, Sequence

from . import _pixmpi

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLPack's types of devices
_LEGACY_STREAM = 1  # of DLPack and of __cuda_array_interface__: CUDA's default stream that waits for others
_KINDS = {"u": "uint", "i": "int", "f": "float", "c": "complex", "b": "bool"}


class Memory(NamedTuple):
    """What an array has. keep: the object that holds the memory; strides: in items; bits: of an item."""
    keep: Any
    on_gpu: bool
    writable: bool
    address: int
    shape: Sequence[int]
    strides: Sequence[int]
    kind: str
    bits: int
    stream: int = 0  # for whose work messages wait
    order: Any = None  # a function that lets this stream wait for the work of the array's library


def stream_number(stream: Any) -> Optional[int]:
    """CUDA's handle of a stream: a number, or an object of torch, cupy, warp, numba or cuda.core."""
    if stream is None or isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        made = stream.__cuda_stream__
        return int((made() if callable(made) else made)[1])
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            number = getattr(stream, name)
            return int(getattr(number, "value", number) or 0)
    raise TypeError(f"stream: a {type(stream).__name__}, expected a stream of CUDA, or its handle as a number")


def _is_immutable(array: Any) -> bool:
    return type(array).__module__.partition(".")[0] in ("jax", "jaxlib")


def _of_gpu(array: Any, stream: Optional[int]) -> Memory:
    """By DLPack: the array's library orders the stream behind its own work."""
    order = lambda: array.__dlpack__(stream=stream or _LEGACY_STREAM)
    keep, _, writable, *rest = _pixmpi.describe(order())
    return Memory(keep, True, writable and not _is_immutable(array), *rest, stream or 0, order)


def _of_interface(array: Any, stream: Optional[int]) -> Memory:
    """By __cuda_array_interface__: the array says which stream its work is in."""
    facts = array.__cuda_array_interface__
    if facts.get("mask") is not None:
        raise TypeError("surface: an array with a mask, expected one without")
    found = re.fullmatch(r"([<>|=]?)([a-zA-Z])(\d+)", facts["typestr"])
    if not found or found[2] not in _KINDS or found[1] == ">":
        raise TypeError(f"surface: items of the type {facts['typestr']!r}, expected numbers in the host's order of bytes")
    size, shape = int(found[3]), list(facts["shape"])
    strides = facts.get("strides")
    if strides is None:
        strides, step = [], size
        for extent in reversed(shape):
            strides.insert(0, step)
            step *= extent
    if any(stride % size for stride in strides):
        raise ValueError(f"surface: strides of {tuple(strides)} bytes, expected multiples of an item's {size}")
    address, read_only = facts["data"]
    stream = stream if stream is not None else facts.get("stream") or 0
    return Memory(array, True, not read_only, address or 0, shape, [stride // size for stride in strides],
                  _KINDS[found[2]], 8 * size, stream)


def memory_of(array: Any, stream: Any = None) -> Memory:
    """The memory of an array or tensor, in the host or in a GPU that CUDA knows."""
    number = stream_number(stream)
    view = array
    if hasattr(array, "__dlpack__"):
        device = int(array.__dlpack_device__()[0]) if hasattr(array, "__dlpack_device__") else _CPU
        if device in (_CUDA, _CUDA_MANAGED):
            return _of_gpu(array, number)
        if device not in (_CPU, _CUDA_HOST):
            raise TypeError(f"surface: memory of a device of DLPack's type {device}, expected the host's or CUDA's")
    elif hasattr(array, "__cuda_array_interface__"):
        return _of_interface(array, number)
    else:
        try:
            view = memoryview(array)  # which knows strides, also where its object does not say them
        except TypeError:
            raise TypeError(f"surface: a {type(array).__module__}.{type(array).__qualname__}, expected an array, a "
                            "tensor, or an object of moderngl, pyglet or pixmpi") from None
    if number is not None:
        raise TypeError("stream: an array in the host's memory has none, expected one of a GPU")
    keep, _, writable, *rest = _pixmpi.describe(view)
    return Memory(keep, False, writable and not _is_immutable(array), *rest)


def layout(shape, strides, channels: Optional[bool]):
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
