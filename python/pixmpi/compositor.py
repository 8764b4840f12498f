"""Compositors: each rank draws its part of a scene, and the parts become one picture, frame after frame."""
from typing import Any, Iterable, List, Optional, Sequence, Tuple

from . import _pixmpi
from .operations import NEAREST, OVER, Op
from .regions import RegionLike, region_of
from .requests import Request
from .surfaces import IN_PLACE, NO_SURFACE, Surface, surface, with_depth

ALL, ROWS = -1, -2  # which ranks get the picture, instead of one rank
_STRATEGIES = ("auto", "direct", "swap", "radix", "tree", "hosts")
_SEARCHES = ("auto", "none", "always")


def _index(words: Sequence[str], word: str, what: str) -> int:
    if word not in words:
        raise ValueError(f"{what}: {word!r}, expected one of {', '.join(words)}")
    return words.index(word)


class Compositor:
    """Composes frames of a communicator.

    op: NEAREST (by depth, the default), OVER (blended, front to back by rank or by `set_order`), MAX, or an Op.
    result: the rank that gets the picture; Compositor.ALL: all ranks; Compositor.ROWS: each the rows it has merged.
    """
    ALL, ROWS = ALL, ROWS

    def __init__(self, comm, op: Optional[Op] = None, result: int = 0):
        self.comm, self.op, self.result = comm, op or NEAREST, result
        self._compositor = _pixmpi.compositor(self.op._op, result, comm._handle, (comm, self.op))

    def icomposite(self, drawn: Any, into: Any = None, active: RegionLike = None) -> Request:
        """Composes a frame; returns at once. Two frames may be under way.

        drawn: what this rank has drawn: colours; or a pair of colours and depths; or a list of attachments, the first
            of them such a pair. into: the picture, on ranks that get one; or a list of them. active: where in `drawn`
            there may be something; () when this rank has drawn nothing.
        """
        attachments = [_drawn(one) for one in drawn] if isinstance(drawn, list) else [_drawn(drawn)]
        pictures = [NO_SURFACE if one is None else surface(one) for one in (into if isinstance(into, list) else [into])]
        for picture in pictures:
            _pixmpi.need_writable(picture._value)
        return Request(_pixmpi.icomposite(self._compositor, [one._value for one in attachments], region_of(active),
                                          [one._value for one in pictures], (self, attachments, pictures)))

    def composite(self, drawn: Any, into: Any = None, active: RegionLike = None) -> None:
        """The same, and waits until this rank's part is done."""
        self.icomposite(drawn, into, active).wait()

    def set_strategy(self, strategy: str, radix: int = 0) -> None:
        """"auto", "direct", "swap", "radix", "tree" or "hosts"; alike on all ranks."""
        self._compositor.set_strategy(_index(_STRATEGIES, strategy, "strategy"), radix)

    def set_order(self, order: Sequence[int]) -> None:
        """Ranks from front to back, alike on all ranks."""
        self._compositor.set_order(list(order))

    def set_search(self, search: str) -> None:
        """Whether the library looks for background: "auto", "none", "always"."""
        self._compositor.set_search(_index(_SEARCHES, search, "search"))

    def set_tiles(self, tiles: Iterable[Tuple[int, int, int, int, int]]) -> None:
        """(rank, x, y, width, height) for each tile: the picture goes there. None of them: to `result` again."""
        self._compositor.set_tiles([tuple(tile) for tile in tiles])

    def set_onto(self, onto: bool) -> None:
        """Whether frames are combined with what pictures hold."""
        self._compositor.set_onto(onto)

    def set_snapshot(self, snapshot: bool) -> None:
        """Whether a frame's call copies what is drawn, so that the program may draw on at once."""
        self._compositor.set_snapshot(snapshot)

    def set_codec(self, codec: str) -> None:
        """For merged pixels on their way to a picture: "jpeg:85"."""
        self._compositor.set_codec(codec)

    def set_trace(self, path: Optional[str]) -> None:
        """Writes what frames do as Chrome's trace events; None ends the file."""
        self._compositor.set_trace(path)

    def rows(self, height: int, rank: int) -> Tuple[int, int]:
        """(first, count) of the rows that a rank gets with Compositor.ROWS."""
        return self._compositor.rows(height, rank)

    def stats(self) -> dict:
        """The seconds and bytes of the last complete frame on this rank."""
        return self._compositor.stats()

    def free(self) -> None:
        self._compositor.free()

    def __enter__(self) -> "Compositor":
        return self

    def __exit__(self, *_) -> None:
        self.free()


def _drawn(one: Any) -> Surface:
    if isinstance(one, tuple):
        if len(one) != 2:
            raise TypeError(f"drawn: a tuple of {len(one)}, expected colours and depths")
        return with_depth(*one)
    return surface(one)


def composite_once(comm, color: Any, depth: Any, into: Any, op: Optional[Op], root: int, active: RegionLike) -> None:
    with Compositor(comm, op or (OVER if depth is None else NEAREST), root) as compositor:
        if comm.rank == root and into is None:
            into = IN_PLACE
        compositor.composite(color if depth is None else (color, depth), into, active)


def balance(seconds: Sequence[float], extent: int, lines: Sequence[int]) -> List[int]:
    """Moves the lines between strips of a picture, so that they take equally long (pixMPI_Balance)."""
    return _pixmpi.balance(list(seconds), extent, list(lines))
