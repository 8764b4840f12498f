"""All verbs, by values: messages, probes, partitions, collectives, operations, compositors, files."""
import os
import tempfile

import numpy as np
import pixmpi
from cases import Case, comm, following, previous, rank, size
from mpi4py import MPI


def numbers(of, shape=(6, 8), kind="u4"):
    return (np.arange(np.prod(shape), dtype=kind) + 1000 * of).reshape(shape).astype(kind)


class Messages(Case):
    def test_source_tag_and_size_are_told(self):
        target = np.zeros((6, 8), "u4")
        sending = comm.isend(numbers(rank), following, 40 + rank)
        status = comm.recv(target)
        self.assertEqual((status.source, status.tag, status.bytes), (previous, 40 + previous, 192))
        sending.wait()
        self.equal(target, numbers(previous))

    def test_rows_become_columns(self):
        target = np.zeros((8, 6), "u4")
        comm.sendrecv(numbers(rank), following, target, previous, recvregion=pixmpi.Region.columns(0, 8, 0, 6))
        self.equal(target, numbers(previous).T)

    def test_regions_of_all_kinds(self):
        regions = [(1, 2, 3, 2), [(0, 0, 2, 1), (5, 5, 1, 1)], pixmpi.Region.strided((0, 0, 1, 1), 4, 3, 2, 2),
                   pixmpi.Region.rows(1, 4, 0, 3, 2), pixmpi.Region.triangle(5, upper=True),
                   pixmpi.Region.nested((1, 1, pixmpi.Region((0, 0, 2, 2))), (4, 3, pixmpi.Region((0, 0, 1, 2)))),
                   pixmpi.Region((0, 0, 6, 6)).clipped((2, 2, 9, 2)), pixmpi.WHOLE, None, []]
        for region in regions:
            target, expected = np.zeros((6, 8), "u4"), np.zeros((6, 8), "u4")
            comm.sendrecv(numbers(rank), following, target, previous, sendregion=region, recvregion=region)
            made = pixmpi.Region(*region) if isinstance(region, list) else region
            rects = [(0, 0, 8, 6)] if made in (None, pixmpi.WHOLE) else (
                made.rects if isinstance(made, pixmpi.Region) else [made])
            for x, y, width, height in rects:
                expected[y:y + height, x:x + width] = numbers(previous)[y:y + height, x:x + width]
            self.equal(target, expected)
        self.assertEqual(pixmpi.Region((1, 2, 3, 2), (7, 0, 1, 1)).pixels, 7)
        self.assertEqual(pixmpi.Region((1, 2, 3, 2), (7, 0, 1, 1)).bounds, (1, 0, 7, 4))
        self.assertIn("Region((1, 2, 3, 2))", repr(pixmpi.Region((1, 2, 3, 2))))

    def test_replace_and_synchronous(self):
        picture = numbers(rank)
        comm.sendrecv_replace(picture, following, previous)
        self.equal(picture, numbers(previous))
        target = np.zeros((6, 8), "u4")
        sending = comm.issend(numbers(rank), following)
        comm.recv(target, previous)
        sending.wait()
        self.equal(target, numbers(previous))

    def test_probes(self):
        self.assertIsNone(comm.iprobe(previous, 77))
        self.assertIsNone(comm.improbe(previous, 77))
        comm.barrier()
        sending = [comm.isend(numbers(rank), following, tag) for tag in (77, 78)]
        self.assertEqual(comm.probe(previous, 77).bytes, 192)
        message = comm.mprobe(previous, 78)
        target = np.zeros((6, 8), "u4")
        self.assertEqual(message.recv(target).tag, 78)
        self.equal(target, numbers(previous))
        with self.assertRaisesRegex(ValueError, "received already"):
            message.recv(target)
        comm.recv(target, previous, 77)
        pixmpi.waitall(sending)

    def test_persistent_and_partitioned(self):
        picture, target = numbers(rank), np.zeros((6, 8), "u4")
        bands = [(0, 2 * i, 8, 2) for i in range(3)]
        with comm.send_init(picture, following) as out, comm.recv_init(target, previous) as into, \
                comm.psend_init(picture, bands, following, 5) as parts, \
                comm.precv_init(target, [None], previous, 5) as whole:
            for turn in range(3):
                for source, sink in ((out, into), (parts, whole)):
                    picture[...] = numbers(10 * turn + rank)
                    sink.start()
                    source.start()
                    if source is parts:
                        source.ready(2, 0)
                        source.ready(1)
                    self.assertEqual(sink.wait().source, previous)
                    source.wait()
                    self.equal(target, numbers(10 * turn + previous))
            self.assertTrue(whole.arrived(0))

    def test_compressed(self):
        ramp = np.tile(np.arange(256, dtype="u1"), (64, 1))
        target = np.zeros_like(ramp)
        comm.sendrecv(pixmpi.surface(ramp).coded("lz4"), following, target, previous)
        self.equal(target, ramp)
        comm.sendrecv(pixmpi.surface(ramp).coded("jpeg:90"), following, target, previous)
        self.assertLess(np.abs(target.astype(int) - ramp).max(), 12)
        self.fails(pixmpi.Error.ARGUMENT, pixmpi.surface(ramp).coded, "zip")

    def test_nobody(self):
        status = comm.sendrecv(numbers(0), pixmpi.PROC_NULL, numbers(0), pixmpi.PROC_NULL)
        self.assertEqual((status.source, status.bytes), (pixmpi.PROC_NULL, 0))

    def test_wrong_arguments(self):
        image = np.zeros((6, 8), "u4")
        self.assertIn("dest", self.fails(pixmpi.Error.RANK, comm.send, image, size))
        self.fails(pixmpi.Error.TAG, comm.send, image, 0, -3)
        self.fails(pixmpi.Error.REGION, comm.isend, image, rank, 1, (0, 0, 9, 1))
        self.fails(pixmpi.Error.ARGUMENT, pixmpi.Region, (0, 0, -1, 1))
        error = None
        try:
            comm.send(image, size)
        except pixmpi.Error as caught:
            error = caught
        self.assertTrue(error.meaning)
        import pickle
        self.assertEqual(pickle.loads(pickle.dumps(error)).code, error.code)

    def test_sizes_that_do_not_fit(self):
        sending = comm.isend(numbers(rank), following)
        self.fails(pixmpi.Error.TRUNCATE, comm.recv, np.zeros((2, 2), "u4"), previous)
        sending.wait()


class Collectives(Case):
    def test_each_in_its_three_forms(self):
        tiles = [(0, r, 8, 1) for r in range(size)]
        row = lambda of: numbers(of, (1, 8))
        every = np.concatenate([row(r) for r in range(size)])
        total = np.sum([numbers(r) for r in range(size)], axis=0, dtype="u4")
        wall = lambda: np.zeros((size, 8), "u4")

        def three(name, make):
            """make: the arguments, the target, and what it holds afterwards."""
            for form in (name, "i" + name, name + "_init"):
                self.note = form
                arguments, target, expected = make()
                request = getattr(comm, form)(*arguments)
                if form != name:
                    (request.start() if form.endswith("_init") else request).wait()
                if target is not None:
                    self.equal(target, expected)
                if form.endswith("_init"):
                    request.free()

        def bcast():
            picture = numbers(rank)
            return (picture, size - 1), picture, numbers(size - 1)

        def gather():
            target = wall()
            if rank:
                return (row(rank),), None, None
            return (row(rank), target, tiles), target, every

        def scatter():
            target = np.zeros((1, 8), "u4")
            return ((every, tiles, target) if rank == 0 else (None, None, target)), target, row(rank)

        def allgather():
            target = wall()
            return (row(rank), target, tiles), target, every

        def alltoall():
            target, source = wall(), numbers(rank, (size, 8))
            return (source, tiles, target, tiles), target, np.stack([numbers(r, (size, 8))[rank] for r in range(size)])

        def reduce():
            target = np.zeros((6, 8), "u4")
            return ((numbers(rank), target) if rank == 0 else (numbers(rank),)), target, total if rank == 0 else target

        def allreduce():
            target = np.zeros((6, 8), "u4")
            return (numbers(rank), target), target, total

        def scan():
            target = np.zeros((6, 8), "u4")
            return (numbers(rank), target), target, np.sum([numbers(r) for r in range(rank + 1)], axis=0, dtype="u4")

        def exscan():
            target = np.zeros((6, 8), "u4")
            before = np.sum([numbers(r) for r in range(rank)], axis=0, dtype="u4") if rank else target
            return (numbers(rank), target), target, before

        def reduce_scatter():
            target = np.zeros((1, 8), "u4")
            source = numbers(rank, (size, 8))
            return (source, tiles, target), target, np.sum(
                [numbers(r, (size, 8))[rank:rank + 1] for r in range(size)], axis=0, dtype="u4")

        for make in (bcast, gather, scatter, allgather, alltoall, reduce, allreduce, scan, exscan, reduce_scatter):
            three(make.__name__, make)
        three("barrier", lambda: ((), None, None))

    def test_in_place(self):
        picture = numbers(rank)
        comm.allreduce(picture, op=pixmpi.MAX)
        self.equal(picture, numbers(size - 1))
        picture = numbers(rank)
        comm.scan(picture)
        self.equal(picture, np.sum([numbers(r) for r in range(rank + 1)], axis=0, dtype="u4"))

    def test_halo_of_neighbours(self):
        ring = pixmpi.attach(MPI.COMM_WORLD.Create_cart([size], periods=[True]))
        field = np.zeros((4, 10), "f4")
        field[:, 1:9] = rank
        ring.neighbor_alltoall(field, [(1, 0, 1, 4), (8, 0, 1, 4)], field, [(0, 0, 1, 4), (9, 0, 1, 4)])
        self.assertTrue((field[:, 0] == previous).all() and (field[:, 9] == following).all())
        ring.detach()
        ring.mpi.Free()

    def test_an_operation_of_ones_own(self):
        def second_wins(first, second, result, format):
            self.assertEqual(format.name, "R32UI")
            np.frombuffer(result, "u4")[:] = np.frombuffer(second, "u4")

        picture = numbers(rank)
        comm.allreduce(picture, op=pixmpi.Op(second_wins))
        self.equal(picture, numbers(size - 1))
        picture = numbers(rank)
        comm.allreduce(picture, op=pixmpi.Op(second_wins).ordered(range(size - 1, -1, -1)))
        self.equal(picture, numbers(0))

    def test_an_operation_that_raises(self):
        def wrong(*_):
            raise ZeroDivisionError("on purpose")

        raised = 0
        try:
            comm.allreduce(numbers(rank), op=pixmpi.Op(wrong))
        except ZeroDivisionError:
            raised = 1
        self.assertEqual(MPI.COMM_WORLD.allreduce(raised) > 0, size > 1)
        with self.assertRaisesRegex(TypeError, "callable"):
            pixmpi.Op("sum")


class Compositors(Case):
    def test_by_depth(self):
        color = np.full((6, 8, 4), rank + 1, "u1")
        depth = np.ones((6, 8), "f4")
        depth[rank % 6] = 0.25
        target = np.zeros((6, 8, 4), "u1")
        comm.composite(color, depth, into=target)
        if rank == 0:
            for r in range(min(size, 6)):
                self.assertTrue((target[r] == r + 1).all(), target[..., 0])

    def test_frames_of_a_compositor(self):
        with comm.compositor(pixmpi.MAX, pixmpi.Compositor.ALL) as compositor:
            compositor.set_strategy("direct")
            compositor.set_search("none")
            for frame in range(3):
                drawn, target = np.zeros((6, 8, 4), "u1"), np.zeros((6, 8, 4), "u1")
                drawn[:, rank::size] = 10 * frame + rank + 1
                compositor.composite(drawn, target)
                for r in range(size):
                    self.assertTrue((target[:, r::size] == 10 * frame + r + 1).all())
            self.assertEqual(compositor.stats()["frame"], 2)
            with self.assertRaisesRegex(ValueError, "strategy: 'fast'"):
                compositor.set_strategy("fast")
        first, count = comm.compositor(result=pixmpi.Compositor.ROWS).rows(6, 0)
        self.assertEqual(first, 0)
        self.assertGreater(count, 0)
        self.assertLess(pixmpi.balance([3, 1], 100, [0, 20, 100])[1], 20)


class Files(Case):
    def test_written_by_all_and_read_by_one(self):
        folder = MPI.COMM_WORLD.bcast(tempfile.mkdtemp() if rank == 0 else None)
        path = os.path.join(folder, "picture.tif")
        picture = pixmpi.Picture.tiff("R8", (8, 4 * size), tiles=(16, 16))
        with comm.open(path, "w") as file:
            file.write(np.full((4, 8), rank + 1, "u1"), rect=(0, 4 * rank, 8, 4), picture=picture)
        with pixmpi.open(path) as file:
            self.assertEqual(file.picture.size, (8, 4 * size))
            all_of_it = np.zeros((4 * size, 8), "u1")
            file.read(all_of_it)
            self.equal(all_of_it, np.repeat(np.arange(1, size + 1, dtype="u1"), 32).reshape(4 * size, 8))
        comm.barrier()
        if rank == 0:
            raw = os.path.join(folder, "picture.raw")
            with pixmpi.open(raw, "w") as file:
                file.write(numbers(7))
            self.equal(np.fromfile(raw, "u4").reshape(6, 8), numbers(7))
            os.remove(path)
            os.remove(raw)
            os.rmdir(folder)
        self.fails(pixmpi.Error.FILE, pixmpi.open, os.path.join(folder, "none"))
        with self.assertRaisesRegex(ValueError, "mode: 'x'"):
            pixmpi.open(path, "x")
