"""Communicators, and the verbs that take them."""
from __future__ import annotations

from typing import Any, Iterable, Optional

from . import _pixmpi
from .operations import Op, SUM
from .regions import RegionLike, region_of, regions_of
from .requests import Request, progress
from .surfaces import IN_PLACE, NO_SURFACE, surface

__all__ = ["Comm", "attach", "copy", "copy_init", "icopy", "progress"]


def attach(comm: Any = None, *, route: str = "", band_bytes: int = 0, stage_bytes: int = 0, peer_bytes: int = 0,
           eager_bytes: int = 0, progress_thread: bool = False) -> Comm:
    """Makes a communicator of mpi4py ready for messages of pixels. Collective over it.

    comm: mpi4py's; MPI.COMM_WORLD unless said. The options are those of pixMPI_Comm_attach.
    """
    from mpi4py import MPI
    if not MPI.Is_initialized() or MPI.Is_finalized():
        raise RuntimeError("attach: MPI is not running, expected that mpi4py has initialised it")
    ours, theirs = _pixmpi.mpi_library_version(), MPI.Get_library_version()
    if ours.rstrip("\0\n ") != theirs.rstrip("\0\n "):
        raise RuntimeError(f"attach: mpi4py uses {theirs.splitlines()[0]!r}, and pixmpi was built with "
                           f"{ours.splitlines()[0]!r}: expected one MPI (build mpi4py with that MPI's mpicc)")
    comm = MPI.COMM_WORLD if comm is None else comm
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm: a {type(comm).__name__}, expected a communicator of mpi4py")
    _pixmpi.attach(comm.py2f(), route, band_bytes, stage_bytes, peer_bytes, eager_bytes, progress_thread)
    return Comm(comm)


def _pair(send: Any, recv: Any):
    return (IN_PLACE if send is None else surface(send)), (NO_SURFACE if recv is None else surface(recv))


def _blocking(make):
    """The verb that waits, of one that returns a request."""
    def verb(*arguments, **options):
        return make(*arguments, **options).wait()
    verb.__name__ = make.__name__[1:]
    verb.__doc__ = (make.__doc__ or "") + " Waits until it is complete; returns its status."
    return verb


def _forms(name: str):
    """(the function of the extension that starts the verb at once, the one that makes a persistent request)"""
    return getattr(_pixmpi, "i" + name), getattr(_pixmpi, name + "_init")


class Comm:
    """An attached communicator. What its verbs take as a surface is what `pixmpi.surface` takes; a region is a Region, a
    rectangle (x, y, width, height), a list of these, or None for all pixels. A verb blocks, or, with i before its name,
    returns a Request at once, or, with _init behind it, makes a persistent Request for `start()`."""

    def __init__(self, comm):
        self.mpi = comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self._handle = comm.py2f()

    def detach(self) -> None:
        """Undoes `attach`. Collective."""
        _pixmpi.detach(self._handle)

    def route(self, rank: int) -> str:
        """"self", "peer", "shm" or "mpi": how messages go from here to `rank`."""
        return _pixmpi.route(self._handle, rank)

    def set_codec(self, codec: str) -> None:
        """How this rank's messages are compressed: "none", "lz4", "jpeg:90", "auto"."""
        _pixmpi.set_codec(self._handle, codec)

    # ---- messages ----------------------------------------------------------------------------------------------

    def isend(self, of: Any, dest: int, tag: int = 0, region: RegionLike = None) -> Request:
        """Sends pixels."""
        return self._message(_pixmpi.isend, of, dest, tag, region)

    def issend(self, of: Any, dest: int, tag: int = 0, region: RegionLike = None) -> Request:
        """Sends pixels; complete no sooner than a receive has matched."""
        return self._message(_pixmpi.issend, of, dest, tag, region)

    def irecv(self, into: Any, source: int = _pixmpi.ANY_SOURCE, tag: int = _pixmpi.ANY_TAG,
              region: RegionLike = None) -> Request:
        """Receives pixels."""
        return self._message(_pixmpi.irecv, into, source, tag, region)

    def send_init(self, of: Any, dest: int, tag: int = 0, region: RegionLike = None) -> Request:
        return self._message(_pixmpi.send_init, of, dest, tag, region)

    def ssend_init(self, of: Any, dest: int, tag: int = 0, region: RegionLike = None) -> Request:
        return self._message(_pixmpi.ssend_init, of, dest, tag, region)

    def recv_init(self, into: Any, source: int = _pixmpi.ANY_SOURCE, tag: int = _pixmpi.ANY_TAG,
                  region: RegionLike = None) -> Request:
        return self._message(_pixmpi.recv_init, into, source, tag, region)

    def _message(self, verb, of: Any, rank: int, tag: int, region: RegionLike) -> Request:
        made, region = surface(of), region_of(region)
        return Request(verb(made._value, region, rank, tag, self._handle, (made, region)))

    def isendrecv(self, of: Any, dest: int, into: Any, source: int, sendtag: int = 0, recvtag: int = _pixmpi.ANY_TAG,
                  sendregion: RegionLike = None, recvregion: RegionLike = None) -> Request:
        """Sends and receives at once."""
        out, to = surface(of), surface(into)
        return Request(_pixmpi.isendrecv(out._value, region_of(sendregion), dest, sendtag, to._value,
                                         region_of(recvregion), source, recvtag, self._handle, (out, to)))

    def isendrecv_replace(self, of: Any, dest: int, source: int, sendtag: int = 0, recvtag: int = _pixmpi.ANY_TAG,
                          region: RegionLike = None) -> Request:
        """Sends pixels, and receives others in their place."""
        made = surface(of)
        return Request(_pixmpi.isendrecv_replace(made._value, region_of(region), dest, sendtag, source, recvtag,
                                                 self._handle, made))

    def psend_init(self, of: Any, regions: Iterable[RegionLike], dest: int, tag: int = 0) -> Request:
        """A persistent send with partitions, the regions, that leave one by one: `request.ready(i)`."""
        made = surface(of)
        return Request(_pixmpi.psend_init(made._value, regions_of(regions), dest, tag, self._handle, made))

    def precv_init(self, into: Any, regions: Iterable[RegionLike], source: int, tag: int = 0) -> Request:
        """Receives what `psend_init` sends; `request.arrived(i)` tells of each partition."""
        made = surface(into)
        return Request(_pixmpi.precv_init(made._value, regions_of(regions), source, tag, self._handle, made))

    def probe(self, source: int = _pixmpi.ANY_SOURCE, tag: int = _pixmpi.ANY_TAG):
        """Waits until a matching message could be received; its status."""
        return _pixmpi.probe(source, tag, self._handle, True)

    def iprobe(self, source: int = _pixmpi.ANY_SOURCE, tag: int = _pixmpi.ANY_TAG):
        """The status of a matching message that is there now, or None."""
        return _pixmpi.probe(source, tag, self._handle, False)

    def mprobe(self, source: int = _pixmpi.ANY_SOURCE, tag: int = _pixmpi.ANY_TAG) -> Message:
        """Waits for a message and takes it: only this Message receives it."""
        return Message(*_pixmpi.mprobe(source, tag, self._handle, True))

    def improbe(self, source: int = _pixmpi.ANY_SOURCE, tag: int = _pixmpi.ANY_TAG) -> Optional[Message]:
        """The same without waiting; None when there is none."""
        found = _pixmpi.mprobe(source, tag, self._handle, False)
        return Message(*found) if found else None

    # ---- collectives -------------------------------------------------------------------------------------------

    def _start(self, name: str, form: int, *arguments, keep=()) -> Request:
        return Request(_forms(name)[form](*arguments, self._handle, keep))

    def _barrier(self, form: int) -> Request:
        """All ranks meet."""
        return self._start("barrier", form)

    def _bcast(self, form: int, of: Any, root: int = 0, region: RegionLike = None) -> Request:
        """The root's pixels to all ranks."""
        made = surface(of)
        if root != self.rank:
            _pixmpi.need_writable(made._value)
        return self._start("bcast", form, made._value, region_of(region), root, keep=made)

    def _gather(self, form: int, of: Any, into: Any = None, regions: Optional[Iterable[RegionLike]] = None,
                root: int = 0, region: RegionLike = None) -> Request:
        """All ranks' pixels to the root: those of rank r into regions[r] of `into`. Others give neither."""
        out, to = _pair(of, into)
        if root == self.rank:
            _pixmpi.need_writable(to._value)
        return self._start("gather", form, out._value, region_of(region), to._value, regions_of(regions or ()), root,
                           keep=(out, to))

    def _scatter(self, form: int, of: Any = None, regions: Optional[Iterable[RegionLike]] = None, into: Any = None,
                 root: int = 0, region: RegionLike = None) -> Request:
        """The root's pixels, regions[r] of `of` to rank r."""
        out = NO_SURFACE if of is None else surface(of)
        to = IN_PLACE if into is None else surface(into)
        _pixmpi.need_writable(to._value)
        return self._start("scatter", form, out._value, regions_of(regions or ()), to._value, region_of(region), root,
                           keep=(out, to))

    def _allgather(self, form: int, of: Any, into: Any, regions: Iterable[RegionLike],
                   region: RegionLike = None) -> Request:
        """All ranks' pixels to all ranks: those of rank r into regions[r] of `into`. of=None: they are there."""
        out, to = _pair(of, into)
        return self._start("allgather", form, out._value, region_of(region), to._value, regions_of(regions),
                           keep=(out, to))

    def _neighbor_allgather(self, form: int, of: Any, into: Any, regions: Iterable[RegionLike],
                            region: RegionLike = None) -> Request:
        """Pixels to all neighbours of a Cartesian or graph communicator, theirs into `regions`."""
        out, to = _pair(of, into)
        return self._start("neighbor_allgather", form, out._value, region_of(region), to._value, regions_of(regions),
                           keep=(out, to))

    def _alltoall(self, form: int, of: Any, sendregions: Iterable[RegionLike], into: Any,
                  recvregions: Iterable[RegionLike]) -> Request:
        """sendregions[r] goes to rank r; what comes from there goes into recvregions[r]. of=None: in place."""
        out, to = _pair(of, into)
        return self._start("alltoall", form, out._value, regions_of(sendregions), to._value, regions_of(recvregions),
                           keep=(out, to))

    def _neighbor_alltoall(self, form: int, of: Any, sendregions: Iterable[RegionLike], into: Any,
                           recvregions: Iterable[RegionLike]) -> Request:
        """The same with the neighbours of a Cartesian or graph communicator: a halo exchange in one call."""
        out, to = _pair(of, into)
        return self._start("neighbor_alltoall", form, out._value, regions_of(sendregions), to._value,
                           regions_of(recvregions), keep=(out, to))

    def _reduce(self, form: int, of: Any, into: Any = None, op: Op = SUM, root: int = 0, region: RegionLike = None,
                into_region: RegionLike = None) -> Request:
        """All ranks' pixels become one picture at the root."""
        out, to = _pair(of, into)
        if root == self.rank:
            _pixmpi.need_writable(to._value)
        return self._start("reduce", form, out._value, region_of(region), to._value, region_of(into_region), op._op,
                           root, keep=(out, to, op))

    def _combine(self, name: str, form: int, of: Any, into: Any, op: Op, region, into_region) -> Request:
        out, to = _pair(of, into)
        if into is None:  # one array: in place
            out, to = IN_PLACE, out
        return self._start(name, form, out._value, region_of(region), to._value,
                           region_of(region if into is None else into_region), op._op, keep=(out, to, op))

    def _allreduce(self, form: int, of: Any, into: Any = None, op: Op = SUM, region: RegionLike = None,
                   into_region: RegionLike = None) -> Request:
        """The same picture on all ranks; into=None: instead of `of`."""
        return self._combine("allreduce", form, of, into, op, region, into_region)

    def _scan(self, form: int, of: Any, into: Any = None, op: Op = SUM, region: RegionLike = None,
              into_region: RegionLike = None) -> Request:
        """Rank r gets the pixels of the ranks 0 to r, combined; into=None: instead of `of`."""
        return self._combine("scan", form, of, into, op, region, into_region)

    def _exscan(self, form: int, of: Any, into: Any = None, op: Op = SUM, region: RegionLike = None,
                into_region: RegionLike = None) -> Request:
        """Rank r gets the pixels of the ranks 0 to r-1, combined; rank 0's are not written."""
        return self._combine("exscan", form, of, into, op, region, into_region)

    def _reduce_scatter(self, form: int, of: Any, regions: Iterable[RegionLike], into: Any, op: Op = SUM,
                        into_region: RegionLike = None) -> Request:
        """regions[r] of all ranks, combined, go to rank r. of=None: the regions are of `into`."""
        out, to = _pair(of, into)
        return self._start("reduce_scatter", form, out._value, regions_of(regions), to._value, region_of(into_region),
                           op._op, keep=(out, to, op))

    # ---- what is made of communicators -------------------------------------------------------------------------

    def composite(self, color: Any, depth: Any = None, into: Any = None, op: Optional[Op] = None, root: int = 0,
                  active: RegionLike = None) -> None:
        """One picture of what all ranks have drawn: by depth, or, without depths, blended from rank 0 in front. For
        frame after frame a Compositor is faster. `into` counts on the root only."""
        from .compositor import composite_once
        composite_once(self, color, depth, into, op, root, active)

    def compositor(self, op: Optional[Op] = None, result: int = 0) -> Compositor:
        """A Compositor of this communicator."""
        from .compositor import Compositor
        return Compositor(self, op, result)

    def open(self, path, mode: str = "r") -> File:
        """A file of pixels that all ranks open: pixmpi.open."""
        from .files import open as open_file
        return open_file(path, mode, comm=self)


class Message:
    """A message that a probe has taken. Attributes: status."""

    def __init__(self, number: int, status):
        self._number, self.status = number, status

    def irecv(self, into: Any, region: RegionLike = None) -> Request:
        """Receives it."""
        if self._number is None:
            raise ValueError("message: received already")
        made = surface(into)
        _pixmpi.need_writable(made._value)
        request = Request(_pixmpi.imrecv(made._value, region_of(region), self._number, made))
        self._number = None
        return request

    def recv(self, into: Any, region: RegionLike = None):
        return self.irecv(into, region).wait()


def icopy(of: Any, into: Any, region: RegionLike = None, into_region: RegionLike = None) -> Request:
    """Copies pixels within this process: between arrays, textures and images of any context."""
    out, to = surface(of), surface(into)
    return Request(_pixmpi.icopy(out._value, region_of(region), to._value, region_of(into_region), (out, to)))


def copy_init(of: Any, into: Any, region: RegionLike = None, into_region: RegionLike = None) -> Request:
    """A copy as a persistent request."""
    out, to = surface(of), surface(into)
    return Request(_pixmpi.copy_init(out._value, region_of(region), to._value, region_of(into_region), (out, to)))


copy = _blocking(icopy)


def _add_forms() -> None:
    """Of each verb the forms that wait, and of collectives the three forms."""
    for name in ("send", "ssend", "recv", "sendrecv", "sendrecv_replace"):
        setattr(Comm, name, _blocking(getattr(Comm, "i" + name)))
    for name in ("barrier", "bcast", "gather", "scatter", "allgather", "neighbor_allgather", "alltoall",
                 "neighbor_alltoall", "reduce", "allreduce", "scan", "exscan", "reduce_scatter"):
        make = getattr(Comm, "_" + name)

        def nonblocking(self, *arguments, _make=make, **options):
            return _make(self, 0, *arguments, **options)

        def persistent(self, *arguments, _make=make, **options):
            return _make(self, 1, *arguments, **options)

        nonblocking.__name__, persistent.__name__ = "i" + name, name + "_init"
        nonblocking.__doc__ = persistent.__doc__ = make.__doc__
        setattr(Comm, "i" + name, nonblocking)
        setattr(Comm, name + "_init", persistent)
        setattr(Comm, name, _blocking(nonblocking))


_add_forms()
