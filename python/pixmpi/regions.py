"""Which pixels of a surface: ordered lists of rectangles, made once and used often."""
from typing import Iterable, Sequence, Tuple, Union

from . import _pixmpi

Rect = Tuple[int, int, int, int]


class Region:
    """An ordered list of rectangles; a region plays the part of an MPI datatype.

    Region((x, y, width, height), ...) takes rectangles in that order: pixels x .. x+width-1, y .. y+height-1. In an
    array y counts its rows from the first one. All verbs also take a rectangle, or a list of them, in place of a region.
    """

    def __init__(self, *rects: Rect):
        self._region = _pixmpi.region_indexed([tuple(map(int, rect)) for rect in rects])

    @classmethod
    def _of(cls, region) -> "Region":
        self = cls.__new__(cls)
        self._region = region
        return self

    @classmethod
    def strided(cls, block: Rect, columns: int, rows: int, stride_x: int, stride_y: int) -> "Region":
        """columns x rows blocks, the first one `block`, others every stride_x and stride_y pixels, along x first."""
        return cls._of(_pixmpi.region_strided(tuple(block), columns, rows, stride_x, stride_y))

    @classmethod
    def rows(cls, x: int, width: int, y: int, count: int, stride: int = 1) -> "Region":
        """`count` rows of one pixel's height at y, y+stride, ..."""
        return cls._of(_pixmpi.region_rows(x, width, y, count, stride))

    @classmethod
    def columns(cls, y: int, height: int, x: int, count: int, stride: int = 1) -> "Region":
        """`count` columns of one pixel's width at x, x+stride, ..., ordered column by column: rows received as columns
        are transposed."""
        return cls._of(_pixmpi.region_columns(y, height, x, count, stride))

    @classmethod
    def triangle(cls, n: int, upper: bool = False, diagonal: bool = True, x: int = 0, y: int = 0) -> "Region":
        """A triangle of an n x n matrix, row by row. Its first element is the pixel (x, y)."""
        return cls._of(_pixmpi.region_triangle(upper, diagonal, x, y, n))

    @classmethod
    def nested(cls, *parts: Tuple[int, int, "Region"]) -> "Region":
        """Regions within regions: (dx, dy, region) for each, moved by (dx, dy)."""
        return cls._of(_pixmpi.region_nested([dx for dx, _, _ in parts], [dy for _, dy, _ in parts],
                                             [region._region for _, _, region in parts]))

    def clipped(self, bounds: Rect) -> "Region":
        """What of the region lies within `bounds`, in the same order."""
        return Region._of(_pixmpi.region_clipped(self._region, tuple(bounds)))

    @property
    def pixels(self) -> int:
        """How many pixels it has."""
        return self._region.pixels

    @property
    def bounds(self) -> Rect:
        """The smallest rectangle around it."""
        return self._region.bounds

    @property
    def rects(self) -> list:
        """Its rectangles in order; neighbours that continue each other are joined."""
        return self._region.rects

    def __repr__(self) -> str:
        if self is WHOLE:
            return "pixmpi.WHOLE"
        rects = self.rects
        shown = ", ".join(map(str, rects[:3])) + (f", ... {len(rects)} rectangles" if len(rects) > 3 else "")
        return f"Region({shown})"


WHOLE = Region._of(_pixmpi.whole())  # all pixels of the surface at hand

RegionLike = Union[None, Region, Rect, Iterable[Rect]]


def region_of(value: RegionLike):
    """The extension's region of what a verb was given; None is all pixels."""
    if value is None:
        return WHOLE._region
    if isinstance(value, Region):
        return value._region
    value = tuple(value)
    if len(value) == 4 and not isinstance(value[0], Sequence):
        value = (value,)
    return Region(*value)._region


def regions_of(values: Iterable[RegionLike]) -> list:
    """One for each rank, or for each partition."""
    if isinstance(values, Region):
        raise TypeError("regions: one region, expected a list of them, one for each rank")
    return [region_of(value) for value in values]
