"""Objects with memory of a GPU: of CUDA's driver alone, as a library's tensors would have it, and of torch, cupy and jax
where these are installed and there is a GPU."""
import ctypes
import itertools

import numpy as np
import pixmpi
from surfaces_test import HEIGHT, WIDTH

_cuda = None


def call(name, *arguments):
    code = getattr(_cuda, name)(*arguments)
    if code:
        raise RuntimeError(f"{name}: {code}")


def start(rank):
    """CUDA's driver, with a context of one GPU current."""
    global _cuda
    _cuda = ctypes.CDLL("libcuda.so.1")
    call("cuInit", 0)
    count, device, context = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
    call("cuDeviceGetCount", ctypes.byref(count))
    call("cuDeviceGet", ctypes.byref(device), rank % count.value)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxPushCurrent_v2", context)
    return device.value


def objects_made():
    """Memory, streams and events that the stand-in has made; 0 on a GPU."""
    if not hasattr(_cuda, "fakeCudaCalls"):
        return 0
    return sum(_cuda.fakeCudaCalls(name) for name in
               (b"cuMemAlloc_v2", b"cuMemHostAlloc", b"cuMemCreate", b"cuStreamCreate", b"cuEventCreate"))


class Stream:
    """Not blocking: the default stream does not wait for it. Its number as cuda.core has it."""

    def __init__(self):
        self.stream, self.event = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuStreamCreate", ctypes.byref(self.stream), 1)
        call("cuEventCreate", ctypes.byref(self.event), 2)

    def __cuda_stream__(self):
        return (0, self.stream.value)

    def before(self, other):
        """What comes on the other stream waits for what is on this one."""
        call("cuEventRecord", self.event, self.stream)
        call("cuStreamWaitEvent", ctypes.c_void_p(other), self.event, 0)

    def wait(self):
        call("cuStreamSynchronize", self.stream)


class Block:
    """Memory of the GPU, as large as rows of WIDTH + 3 pixels, and of the host to copy by. Not freed: few are made."""
    row = (WIDTH + 3) * 4
    size = HEIGHT * row

    def __init__(self):
        self.address, host = ctypes.c_uint64(), ctypes.c_void_p()
        self.allocate()
        call("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(self.size), 3)
        memory = (ctypes.c_uint8 * self.size).from_address(host.value)
        self.host = np.frombuffer(memory, np.uint8).reshape(HEIGHT, WIDTH + 3, 4)
        self.host[...] = 0
        self.stream = Stream()

    def allocate(self):
        call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(self.size))

    def move(self, to_gpu):
        ends = [self.address, ctypes.c_uint64(self.host.ctypes.data)]
        to, of = ends if to_gpu else reversed(ends)
        call("cuMemcpyAsync", to, of, ctypes.c_size_t(self.size), self.stream.stream)

    def write(self, pixels):
        """Does not wait: the stream has this work, nothing else has it."""
        self.stream.wait()
        self.host[:, :WIDTH] = pixels
        self.move(True)

    def read(self):
        self.move(False)
        self.stream.wait()
        return self.host[:, :WIDTH].copy()


class Interface(Block):
    """By __cuda_array_interface__, which says the stream."""

    class Array:
        def __init__(self, block, x, y, width, height):
            self.block = block
            self.__cuda_array_interface__ = {
                "shape": (height, width, 4), "typestr": "|u1", "strides": (block.row, 4, 1), "version": 3,
                "data": (block.address.value + y * block.row + 4 * x, False), "stream": block.stream.stream.value}

    def __init__(self):
        super().__init__()
        self.surface = self.part(0, 0, WIDTH, HEIGHT)

    def part(self, *rect):
        return self.Array(self, *rect)


class _Tensor(ctypes.Structure):  # DLManagedTensor, as dlpack.h has it
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Exchange(Block):
    """By DLPack, as a library whose work is in a stream of its own: it orders the stream that it is told behind."""
    device = 2  # as DLPack numbers them

    class Array:
        kept = {}
        numbers = itertools.count(1)

        def __init__(self, block, x, y, width, height):
            self.block, self.shape = block, (height, width, 4)
            self.data = block.address.value + y * block.row + 4 * x
            self.streams = []

        def __dlpack_device__(self):
            return (self.block.device, 0)

        def __dlpack__(self, stream=None):
            self.streams.append(stream)
            self.block.stream.before(stream)
            shape, strides = (ctypes.c_int64 * 3)(*self.shape), (ctypes.c_int64 * 3)(self.block.row, 4, 1)
            number = next(self.numbers)
            made = _Tensor(self.data, self.block.device, 0, 3, 1, 8, 1, shape, strides, 0, number,
                           ctypes.cast(_delete, ctypes.c_void_p))
            self.kept[number] = made, self
            new = ctypes.pythonapi.PyCapsule_New
            new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
            return new(ctypes.addressof(made), b"dltensor", ctypes.cast(_unused, ctypes.c_void_p))

    def __init__(self):
        super().__init__()
        self.surface = self.part(0, 0, WIDTH, HEIGHT)

    def part(self, *rect):
        return self.Array(self, *rect)


class Managed(Exchange):
    """Memory that moves between a GPU and the host."""
    device = 13

    def allocate(self):
        call("cuMemAllocManaged", ctypes.byref(self.address), ctypes.c_size_t(self.size), 1)


@ctypes.CFUNCTYPE(None, ctypes.POINTER(_Tensor))
def _delete(tensor):
    Exchange.Array.kept.pop(tensor.contents.context)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _unused(capsule):
    """Of a capsule that nobody has taken."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
    if ctypes.pythonapi.PyCapsule_IsValid(ctypes.c_void_p(capsule), b"dltensor"):
        _delete(ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(_Tensor)))


class Torch:
    module = "torch"

    def __init__(self):
        import torch
        self.torch = torch
        self.stream = torch.cuda.Stream()
        self.all = torch.zeros((HEIGHT, WIDTH + 3, 4), dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()
        self.surface = self.all[:, :WIDTH]

    def write(self, pixels):
        with self.torch.cuda.stream(self.torch.cuda.default_stream()):
            self.surface.copy_(self.torch.from_numpy(pixels.copy()))

    def read(self):
        return self.surface.cpu().numpy()

    def part(self, x, y, width, height):
        return self.surface[y:y + height, x:x + width]


class Cupy:
    module = "cupy"

    def __init__(self):
        import cupy
        self.cupy = cupy
        self.all = cupy.zeros((HEIGHT, WIDTH + 3, 4), cupy.uint8)
        self.surface = self.all[:, :WIDTH]

    def write(self, pixels):
        self.surface[...] = self.cupy.asarray(pixels)

    def read(self):
        return self.cupy.asnumpy(self.surface)

    def part(self, x, y, width, height):
        return self.surface[y:y + height, x:x + width]


class Jax:
    """Immutable: it is sent only."""
    module, sends_only = "jax", True

    def __init__(self):
        self.surface = None

    def write(self, pixels):
        import jax
        self.surface = jax.device_put(pixels)

    def part(self, x, y, width, height):
        return self.surface[y:y + height, x:x + width]


def kinds(on_gpu):
    """Those that are there. on_gpu: it is a real one."""
    found = [Interface, Exchange]
    for kind in (Torch, Cupy, Jax) if on_gpu else ():
        try:
            __import__(kind.module)
            found.append(kind)
        except ImportError:
            print(f"not installed: {kind.module}")
    return found
