"""How pixels become one, in reductions and compositors."""
from typing import Any, Callable, Optional, Sequence

from . import _pixmpi
from .formats import Format


class Op:
    """An operation of the program's own.

    function: called as function(first, second, result, format) with memoryviews of bytes of as many pixels each; it
        writes first op second into `result`, which is the same memory as one of the others. numpy.frombuffer makes
        arrays of them. It calls neither pixmpi nor MPI. What it raises is raised by the call that completes.
    glsl: the same for devices, as text: pixMPI_Op_create says what it defines.
    """

    def __init__(self, function: Callable[[memoryview, memoryview, memoryview, Format], Any],
                 glsl: Optional[str] = None):
        if not callable(function):
            raise TypeError("function: expected a callable")
        self._op = _pixmpi.op_create(lambda a, b, c, number: function(a, b, c, Format(number)), glsl or "")

    @classmethod
    def _of(cls, op) -> "Op":
        self = cls.__new__(cls)
        self._op = op
        return self

    def ordered(self, order: Sequence[int]) -> "Op":
        """The same with the ranks in another order, a permutation that all ranks give alike."""
        made = Op._of(_pixmpi.op_ordered(self._op, list(order)))
        made._of_operation = self
        return made


SUM, PROD, MIN, MAX, BAND, BOR, BXOR, OVER, OVER_STRAIGHT, NEAREST = (
    Op._of(_pixmpi.op_predefined(number)) for number in range(1, 11))
