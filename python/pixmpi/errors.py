"""The exception of calls of the library that fail."""
from . import _pixmpi


class Error(RuntimeError):
    """A call has failed. `str(error)` is the library's text: rank, call, argument, what was expected.

    Attributes:
        code: the number PIXMPI_ERR_... of pixmpi_errors.h, also as a constant of this class: Error.TRUNCATE.
    """
    (ARGUMENT, MPI, COMM, RANK, TAG, REQUEST, REGION, SURFACE, FORMAT, CONTEXT, TRUNCATE, MEMORY, DEVICE, PEER, PENDING,
     STATUS, CODEC, FILE, TIMEOUT) = range(1, 20)

    def __init__(self, text: str, code: int):
        super().__init__(text)
        self.code = code

    @property
    def meaning(self) -> str:
        """The general meaning of the code."""
        return _pixmpi.error_string(self.code)

    def __reduce__(self):
        return Error, (str(self), self.code)


_pixmpi.set_error_type(Error)
