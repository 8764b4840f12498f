"""Tensors in a GPU's memory: each kind to each other kind of surface and back, streams, and what is refused. On a
stand-in for CUDA's driver, or on a GPU."""
import gc
import os

import cuda_objects
import numpy as np
import pixmpi
from cases import Case, comm, following, previous, rank
from surfaces_test import HEIGHT, KINDS, WIDTH, Matrix as HostMatrix, pattern

DEVICE = cuda_objects.start(rank)
CUDA = cuda_objects.kinds(on_gpu="PIXMPI_TEST_GPUS" not in os.environ)


class Matrix(HostMatrix):
    """The cases of surfaces_test, with a tensor of a GPU on one side or both."""

    def pairs(self):
        pairs = [(a, b) for a in CUDA + KINDS for b in CUDA + KINDS if a in CUDA or b in CUDA]
        for number, (a, b) in enumerate(pairs):
            if not hasattr(b, "sends_only"):
                self.note = f"{a.__name__} to {b.__name__}"
                yield number, a(), b()


del HostMatrix  # whose own cases surfaces_test runs


class Streams(Case):
    def test_one_that_the_program_names(self):
        block, target = cuda_objects.Exchange(), np.zeros((HEIGHT, WIDTH, 4), "u1")
        for stream in (block.stream, block.stream.stream.value, type("S", (), {"ptr": block.stream.stream.value})()):
            picture = pattern(comm.size * len(block.surface.streams) + rank)
            block.write(picture)
            made = pixmpi.surface(block.surface, stream=stream)
            self.assertEqual((made.api, made.size), ("CUDA", (WIDTH, HEIGHT)))
            self.assertEqual(block.surface.streams[-1], block.stream.stream.value)
            pixmpi.copy(made, target)
            self.equal(target, picture)
        with self.assertRaisesRegex(TypeError, "stream: a str"):
            pixmpi.surface(block.surface, stream="default")
        with self.assertRaisesRegex(TypeError, "stream: an array in the host"):
            pixmpi.surface(target, stream=1)

    def test_a_surface_that_is_kept_sees_later_work(self):
        block, target = cuda_objects.Exchange(), np.zeros((HEIGHT, WIDTH, 4), "u1")
        whole = pixmpi.surface(block.surface)
        part = whole.sub(2, 3, 9, 5)
        for seed in range(3):
            block.write(pattern(seed))
            pixmpi.copy(whole, target)
            self.equal(target, pattern(seed))
            block.write(pattern(10 + seed))
            pixmpi.copy(part, target[:5, :9])
            self.equal(target[:5, :9], pattern(10 + seed)[3:8, 2:11])


class Verbs(Case):
    def test_collectives_and_persistent_requests(self):
        block, result = cuda_objects.Interface(), cuda_objects.Exchange()
        block.write(pattern(rank) // 8)
        comm.allreduce(block.surface, into=result.surface)
        self.equal(result.read(), sum(pattern(r) // 8 for r in range(comm.size)))
        requests = [comm.send_init(block.surface, following), comm.recv_init(result.surface, previous)]
        for seed in range(3):
            block.write(pattern(50 * seed + rank))
            block.stream.wait()
            for request in requests:
                request.start()
            pixmpi.waitall(requests)
            self.equal(result.read(), pattern(50 * seed + previous))
        for request in requests:
            request.free()

    def test_managed_memory(self):
        blocks = [cuda_objects.Managed() for _ in range(2)]
        for turn in range(3):
            blocks[0].write(pattern(10 * turn + rank))
            comm.sendrecv(blocks[0].surface, following, blocks[1].surface, previous)
            self.equal(blocks[1].read(), pattern(10 * turn + previous))
        self.assertEqual(pixmpi.surface(blocks[0].surface).api, "CUDA")

    def test_with_depth(self):
        class Depth:
            def __init__(self, address):
                self.__cuda_array_interface__ = {"shape": (HEIGHT, WIDTH), "typestr": "<f4", "version": 2,
                                                 "data": (address, False)}
        blocks = [cuda_objects.Block() for _ in range(2)]
        color = cuda_objects.Interface()
        color.write(pattern(3))
        blocks[0].host[...] = 7
        blocks[0].move(True)
        blocks[0].stream.wait()
        other, target = np.zeros((HEIGHT, WIDTH), "f4"), np.zeros((HEIGHT, WIDTH, 4), "u1")
        pixmpi.copy(pixmpi.with_depth(color.surface, Depth(blocks[0].address.value)), pixmpi.with_depth(target, other))
        self.equal(target, pattern(3))
        self.assertEqual(set(other.view("u1").ravel()), {7})


class Refused(Case):
    def interface(self, **facts):
        block = cuda_objects.Interface()
        array = block.surface
        array.__cuda_array_interface__.update(facts)
        return array

    def test_what_has_no_format(self):
        for facts in ({"typestr": "<f8"}, {"typestr": ">f4"}, {"typestr": "|V4"}, {"mask": object()},
                      {"shape": (2, 2, 5)}):
            with self.assertRaises(TypeError, msg=facts):
                pixmpi.surface(self.interface(strides=None, **facts))

    def test_rows_that_are_not_contiguous(self):
        for strides in ((92, 8, 1), (-92, 4, 1), (4, 92, 1), (92, 4, 2)):
            with self.assertRaises(ValueError, msg=strides):
                pixmpi.surface(self.interface(shape=(3, 3, 4), strides=strides))
        with self.assertRaisesRegex(ValueError, "multiples"):
            pixmpi.surface(self.interface(shape=(3, 3), typestr="<f4", strides=(90, 4)))

    def test_read_only(self):
        array = self.interface()
        array.__cuda_array_interface__["data"] = (array.__cuda_array_interface__["data"][0], True)
        with self.assertRaisesRegex(TypeError, "read-only"):
            comm.irecv(array, previous)

    def test_other_devices(self):
        for device in (10, 14):  # ROCm, OneAPI
            array = cuda_objects.Exchange().surface
            type(array).__dlpack_device__, kept = lambda self: (device, 0), type(array).__dlpack_device__
            try:
                with self.assertRaisesRegex(TypeError, f"type {device}"):
                    pixmpi.surface(array)
            finally:
                type(array).__dlpack_device__ = kept

    def test_no_memory_of_cuda(self):
        host = np.zeros((HEIGHT, WIDTH + 3, 4), "u1")
        array = self.interface(data=(host.ctypes.data, False))
        self.fails(pixmpi.Error.SURFACE, pixmpi.copy, array, np.zeros((HEIGHT, WIDTH, 4), "u1"))


class Lifetimes(Case):
    def test_tensors_that_are_freed_early(self):
        target = np.zeros((HEIGHT, WIDTH, 4), "u1")
        block = cuda_objects.Exchange()
        block.write(pattern(rank))
        gc.collect()
        kept = cuda_objects.Exchange.Array.kept
        before = len(kept)
        request = comm.isend(block.part(0, 0, WIDTH, HEIGHT), following, 21)
        gc.collect()
        self.assertEqual(len(kept), before + 1)
        comm.recv(target, previous, 21)
        request.wait()
        self.equal(target, pattern(previous))
        del request
        gc.collect()
        self.assertEqual(len(kept), before)

    def test_thousands_of_messages_leak_nothing(self):
        a, b = cuda_objects.Exchange(), cuda_objects.Exchange()
        a.write(pattern(rank))

        def messages(count):
            for _ in range(count):
                comm.sendrecv(a.surface, following, b.surface, previous)
            gc.collect()
            return len(cuda_objects.Exchange.Array.kept), cuda_objects.objects_made(), len(gc.get_objects())

        first, again = messages(200), messages(2000 if "PIXMPI_TEST_GPUS" in os.environ else 10000)
        self.assertEqual(first[:2], again[:2])
        self.assertLess(again[2] - first[2], 50)
        self.equal(b.read(), pattern(previous))
