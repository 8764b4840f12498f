"""Requests: what is under way, to be waited for here, later, or with await."""
import asyncio
from typing import Iterable, List, Optional, Tuple

from . import _pixmpi


class Request:
    """One message, copy or collective that is under way, or a persistent one.

    Objects whose pixels move live until it is complete, also if the program drops the request. `await request` gives
    way to other tasks until it is complete. While a wait lasts, other threads run and signals are handled: after a
    KeyboardInterrupt the request is still under way.
    """

    def __init__(self, request):
        self._request = request

    def wait(self, seconds: Optional[float] = None):
        """Waits, and returns a Status (source, tag, bytes, cancelled). With `seconds`: None when it is not complete by
        then. Raises what went wrong."""
        return self._request.wait(seconds)

    def test(self):
        """A Status when it is complete, else None. Never waits."""
        return self._request.test()

    def start(self) -> "Request":
        """Starts a persistent request."""
        self._request.start()
        return self

    def cancel(self) -> None:
        """Asks a receive that has not matched yet, or a copy that waits for a context, to end."""
        self._request.cancel()

    def free(self) -> None:
        """Lets go of a persistent request. Others free themselves when they are complete."""
        self._request.free()

    def set_codec(self, codec: str) -> None:
        """How an inactive persistent request compresses from its next start on."""
        self._request.set_codec(codec)

    def ready(self, *partitions: int) -> None:
        """Partitions of a started partitioned send that may leave."""
        self._request.ready(list(partitions))

    def arrived(self, partition: int) -> bool:
        """Whether a partition of a partitioned receive is there."""
        return self._request.arrived(partition)

    @property
    def persistent(self) -> bool:
        return self._request.persistent

    def __await__(self):
        pause = 0.0
        while True:
            status = self._request.test()
            if status is not None:
                return status
            yield from asyncio.sleep(pause).__await__()
            pause = min(0.001, pause + 0.00002)

    def __enter__(self) -> "Request":
        return self

    def __exit__(self, *_) -> None:
        if self._request.persistent and not self._request.is_null:
            self._request.free()


def waitall(requests: Iterable[Request]) -> List:
    """Waits for all of them; their statuses. The first error is raised when all are over."""
    statuses, first = [], None
    for request in requests:
        try:
            statuses.append(request.wait())
        except Exception as error:  # KeyboardInterrupt is none of these
            statuses.append(None)
            first = first or error
    if first:
        raise first
    return statuses


def waitany(requests: Iterable[Request]) -> Tuple[int, object]:
    """Waits for one of them: its place in the list, and its status."""
    requests = list(requests)
    if not requests:
        raise ValueError("requests: none, expected one at least")
    seconds = 0.0
    while True:
        for i, request in enumerate(requests):
            status = request.wait(seconds)
            if status is not None:
                return i, status
        seconds = min(0.001, seconds + 0.00002)


def progress() -> None:
    """Moves along what is under way, once, as far as this thread's contexts allow."""
    _pixmpi.progress()
