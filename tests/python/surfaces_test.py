"""What is a surface: each kind of object, whole and in part, within a process and to another one."""
import array
import ctypes
import unittest

import numpy as np
import pixmpi
from cases import Case, comm, following, previous, rank

WIDTH, HEIGHT = 20, 12
GL_RGBA8, GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE = 0x8058, 0x0DE1, 0x1908, 0x1401


def pattern(seed, height=HEIGHT, width=WIDTH):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)


class Numpy:
    """A numpy array, whose rows have gaps."""

    def __init__(self):
        self.all = np.zeros((HEIGHT, WIDTH + 3, 4), np.uint8)
        self.surface = self.all[:, :WIDTH]

    def write(self, pixels):
        self.surface[...] = pixels

    def read(self):
        return self.surface.copy()

    def part(self, x, y, width, height):
        return self.surface[y:y + height, x:x + width]


class UpsideDown(Numpy):
    def __init__(self):
        super().__init__()
        self.surface = self.all[::-1, :WIDTH]


class Exchange(Numpy):
    """An object with DLPack alone, as tensors of other libraries have it."""

    class Tensor:
        def __init__(self, values):
            self.values = values

        def __dlpack__(self, **_):
            return self.values.__dlpack__()

        def __dlpack_device__(self):
            return self.values.__dlpack_device__()

    def __init__(self):
        super().__init__()
        self.array, self.surface = self.surface, self.Tensor(self.surface)

    def write(self, pixels):
        self.array[...] = pixels

    def read(self):
        return self.array.copy()

    def part(self, x, y, width, height):
        return self.Tensor(self.array[y:y + height, x:x + width])


class Textures:
    """One context for all cases."""
    context = moderngl = None

    @classmethod
    def get(cls):
        if cls.context is None:
            import moderngl
            cls.context = pixmpi.GLContext()
            cls.moderngl = moderngl.create_context()
        return cls.moderngl


class ModernGL:
    def __init__(self):
        self.surface = Textures.get().texture((WIDTH, HEIGHT), 4)

    def write(self, pixels):
        self.surface.write(pixels.tobytes())

    def read(self):
        return np.frombuffer(self.surface.read(), np.uint8).reshape(HEIGHT, WIDTH, 4)

    def part(self, *rect):
        return pixmpi.surface(self.surface).sub(*rect)


class ModernGLFramebuffer(ModernGL):
    def __init__(self):
        super().__init__()
        self.texture, self.surface = self.surface, Textures.get().framebuffer([self.surface])

    def write(self, pixels):
        self.texture.write(pixels.tobytes())

    def read(self):
        return np.frombuffer(self.texture.read(), np.uint8).reshape(HEIGHT, WIDTH, 4)


class PyOpenGL:
    """A name, as PyOpenGL and ctypes have it."""

    def __init__(self):
        Textures.get()
        name = ctypes.c_uint()
        self.call("glGenTextures", 1, ctypes.byref(name))
        self.call("glBindTexture", GL_TEXTURE_2D, name.value)
        self.call("glTexImage2D", GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, None)
        self.name, self.surface = name.value, pixmpi.texture(name.value, target=GL_TEXTURE_2D)

    def call(self, name, *arguments):
        function = ctypes.cast(pixmpi.GLContext.function(name), ctypes.CFUNCTYPE(None, *map(self.type, arguments)))
        function(*arguments)

    @staticmethod
    def type(argument):
        return ctypes.c_uint if isinstance(argument, int) else ctypes.c_void_p

    def write(self, pixels):
        pixels = np.ascontiguousarray(pixels)
        self.call("glBindTexture", GL_TEXTURE_2D, self.name)
        self.call("glTexSubImage2D", GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE,
                  ctypes.c_void_p(pixels.ctypes.data))

    def read(self):
        pixels = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
        self.call("glBindTexture", GL_TEXTURE_2D, self.name)
        self.call("glGetTexImage", GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, ctypes.c_void_p(pixels.ctypes.data))
        return pixels

    def part(self, *rect):
        return self.surface.sub(*rect)


KINDS = [Numpy, UpsideDown, Exchange, ModernGL, ModernGLFramebuffer, PyOpenGL]


class Matrix(Case):
    """Each kind to each, values checked."""

    def pairs(self):
        for number, (a, b) in enumerate((a, b) for a in KINDS for b in KINDS):
            self.note = f"{a.__name__} to {b.__name__}"
            yield number, a(), b()

    def test_within_a_process(self):
        for number, a, b in self.pairs():
            a.write(pattern(number))
            pixmpi.copy(a.surface, b.surface)
            self.equal(b.read(), pattern(number))

    def test_a_slice_within_a_process(self):
        for number, a, b in self.pairs():
            a.write(pattern(number))
            b.write(pattern(1000 + number))
            pixmpi.copy(a.part(2, 3, 9, 5), b.part(8, 6, 9, 5))
            expected = pattern(1000 + number)
            expected[6:11, 8:17] = pattern(number)[3:8, 2:11]
            self.equal(b.read(), expected)

    def test_to_another_process(self):
        for number, a, b in self.pairs():
            a.write(pattern(100 * rank + number))
            comm.sendrecv(a.surface, following, b.surface, previous)
            self.equal(b.read(), pattern(100 * previous + number))

    def test_a_slice_to_another_process(self):
        for number, a, b in self.pairs():
            a.write(pattern(100 * rank + number))
            b.write(pattern(5000 + number))
            comm.sendrecv(a.part(2, 3, 9, 5), following, b.surface, previous, recvregion=(8, 6, 9, 5))
            expected = pattern(5000 + number)
            expected[6:11, 8:17] = pattern(100 * previous + number)[3:8, 2:11]
            self.equal(b.read(), expected)


class Arrays(Case):
    def test_channels_and_types_have_formats(self):
        for kind, name in (("u1", "8"), ("i1", "8I"), ("u2", "16"), ("i2", "16I"), ("u4", "32UI"), ("i4", "32I"),
                           ("f2", "16F"), ("f4", "32F")):
            for channels, letters in enumerate(("R", "RG", "RGB", "RGBA"), 1):
                made = pixmpi.surface(np.zeros((3, 5, channels), kind))
                self.assertEqual(made.format.name, letters + name)
                self.assertEqual(made.size, (5, 3))
        self.assertEqual(pixmpi.surface(np.zeros((3, 5), "f4")).size, (5, 3))
        self.assertEqual(pixmpi.surface(np.zeros(7, "u1")).size, (7, 1))

    def test_another_format_of_as_many_bytes(self):
        self.assertEqual(pixmpi.surface(np.zeros((3, 5), "f8"), "RG32UI").format.name, "RG32UI")
        self.assertEqual(pixmpi.surface(np.zeros((3, 5), "f4"), pixmpi.Format.DEPTH32F).format.name, "DEPTH32F")
        with self.assertRaisesRegex(TypeError, "4 bytes a pixel.*8"):
            pixmpi.surface(np.zeros((3, 5), "f8"), "RGBA8")
        with self.assertRaisesRegex(ValueError, "format: no format 'RGBA9'"):
            pixmpi.surface(np.zeros((3, 5), "f8"), "RGBA9")

    def test_axes_that_count_as_rows(self):
        volume = np.zeros((4, 3, 5), "f4")
        self.assertEqual(pixmpi.surface(volume, channels=False).size, (5, 12))
        with self.assertRaisesRegex(TypeError, "5 channels"):
            pixmpi.surface(volume)
        with self.assertRaisesRegex(ValueError, "planes"):
            pixmpi.surface(np.zeros((4, 6, 5), "f4")[:, :3], channels=False)

    def test_what_has_no_format_is_a_type_error(self):
        for kind in ("f8", "i8", "c8", "?"):
            with self.assertRaisesRegex(TypeError, "no format|not an array"):
                pixmpi.surface(np.zeros((3, 5), kind))
        for wrong in (None, 7, "text", object(), [[1, 2]], np.zeros(())):
            with self.assertRaises(TypeError, msg=repr(wrong)):
                pixmpi.surface(wrong)

    def test_rows_that_are_not_contiguous_are_a_value_error(self):
        image = np.zeros((6, 8, 4), "u1")
        for wrong in (image[:, ::2], image[..., ::-1], image[..., :2], image.transpose(1, 0, 2)):
            with self.assertRaisesRegex(ValueError, "contiguous"):
                pixmpi.surface(wrong)

    def test_read_only_memory_is_sent_and_not_received_into(self):
        fixed = np.arange(12, dtype="u1").reshape(3, 4)
        fixed.flags.writeable = False
        target = np.zeros((3, 4), "u1")
        pixmpi.copy(fixed, target)
        self.equal(target, fixed)
        for call in (lambda: pixmpi.copy(target, fixed), lambda: comm.irecv(fixed, 0), lambda: comm.allreduce(fixed),
                     lambda: comm.irecv(b"12345678", 0)):
            with self.assertRaisesRegex(TypeError, "read-only"):
                call()

    def test_objects_with_the_buffer_protocol(self):
        for made in (bytes(range(24)), bytearray(range(24)), memoryview(bytes(range(24))), array.array("B", range(24)),
                     array.array("f", range(6)), array.array("i", range(6)), array.array("H", range(12)),
                     (ctypes.c_float * 6)(*range(6)), np.arange(6, dtype="f4"), np.arange(24, dtype="u1")[:24:1]):
            items = np.asarray(memoryview(made).cast("B") if not isinstance(made, np.ndarray) else made.view("u1"))
            target = np.zeros_like(np.asarray(made) if not isinstance(made, (bytes, bytearray)) else items)
            comm.sendrecv(made, following, target, previous)
            self.equal(target.view("u1").ravel(), items)

    def test_messages_as_mpi4py_specifies_them(self):
        """The buffers of mpi4py's test_msgspec: all typecodes, [data, count], [data, (count, displacement)], none, C and
        Fortran order."""
        for code in "bBhHiIfdqQ":
            format = {"d": "RG32UI", "q": "RG32UI", "Q": "RG32UI"}.get(code)
            for count, displacement in ((10, 0), (3, 0), (4, 5), (1, 9), (0, 4)):
                data = array.array(code, range(10 * rank, 10 * rank + 10))
                target = array.array(code, [7] * 10)
                chosen = slice(displacement, displacement + count)
                comm.sendrecv(pixmpi.surface(memoryview(data)[chosen], format), following,
                              pixmpi.surface(memoryview(target)[chosen], format), previous)
                expected = array.array(code, [7] * 10)
                expected[chosen] = array.array(code, range(10 * previous, 10 * previous + 10))[chosen]
                self.assertEqual(target, expected)
        for kind in ("u1", "i2", "f4"):
            data, target = np.arange(12, dtype=kind).reshape(3, 4) + rank, np.zeros((3, 4), kind)
            comm.sendrecv(data, following, target, previous)
            self.equal(target, np.arange(12, dtype=kind).reshape(3, 4) + previous)
            fortran = np.asfortranarray(data)
            with self.assertRaisesRegex(ValueError, "contiguous"):
                comm.sendrecv(fortran, following, target, previous)
            comm.sendrecv(fortran.T, following, target.reshape(4, 3), previous)
            self.equal(target.reshape(4, 3), (np.arange(12, dtype=kind).reshape(3, 4) + previous).T)

    def test_memory_of_a_gpu_that_is_not_there(self):
        class Elsewhere:
            __cuda_array_interface__ = {"shape": (2, 2), "typestr": "|u1", "data": (16, False), "version": 3}

        class Tensor:
            def __init__(self, device):
                self.device, self.pixels = device, np.zeros((2, 2), "u1")

            def __dlpack_device__(self):
                return (self.device, 0)

            def __dlpack__(self, stream=None):
                return self.pixels.__dlpack__()

        try:
            ctypes.CDLL("libcuda.so.1")
        except OSError:
            for tensor in (Elsewhere(), Tensor(2), Tensor(13)):  # as DLPack numbers CUDA and its managed memory
                with self.assertRaisesRegex(TypeError, "CUDA"):
                    pixmpi.copy(tensor, np.zeros((2, 2), "u1"))
        else:
            self.fails(pixmpi.Error.SURFACE, pixmpi.copy, Elsewhere(), np.zeros((2, 2), "u1"))

    def test_arrays_live_as_long_as_what_uses_them(self):
        import gc
        import weakref

        class Owner(np.ndarray):
            pass

        made = np.zeros((3, 4), "u1").view(Owner)
        gone = weakref.ref(made)
        held = pixmpi.surface(made).sub(1, 1, 2, 2)
        del made
        gc.collect()
        self.assertIsNotNone(gone())
        del held
        gc.collect()
        self.assertIsNone(gone())


class OpenGL(Case):
    def test_levels_layers_and_buffers(self):
        context = Textures.get()
        layers = context.texture_array((4, 3, 2), 4, bytes(96))
        picture = pattern(1, 3, 4)
        pixmpi.copy(picture, pixmpi.texture(layers, layer=1))
        self.equal(np.frombuffer(layers.read(), np.uint8).reshape(2, 3, 4, 4)[1], picture)
        with self.assertRaisesRegex(TypeError, "layer"):
            pixmpi.surface(layers)
        buffer = context.buffer(reserve=64)
        pixmpi.copy(picture, pixmpi.buffer(buffer, "RGBA8", (4, 3), offset=8))
        self.equal(np.frombuffer(buffer.read(48, offset=8), np.uint8).reshape(3, 4, 4), picture)
        with self.assertRaisesRegex(TypeError, "Buffer says nothing"):
            pixmpi.surface(buffer)

    def test_conversions_and_depth(self):
        context = Textures.get()
        floats = context.texture((4, 3), 4, np.full((3, 4, 4), 0.5, "f4").tobytes(), dtype="f4")
        target = np.zeros((3, 4, 4), "u1")
        pixmpi.copy(pixmpi.surface(floats, "RGBA8"), target)
        self.assertTrue(((target == 127) | (target == 128)).all())
        depth = context.depth_texture((4, 3))
        self.assertTrue(pixmpi.surface(depth).format.name.startswith("DEPTH"))

    def test_objects_that_are_gone(self):
        texture = Textures.get().texture((4, 3), 4)
        made = pixmpi.surface(texture)
        texture.release()
        self.fails(pixmpi.Error.SURFACE, pixmpi.copy, made, np.zeros((3, 4, 4), "u1"))


class Vulkan(Case):
    def test_buffers_and_images(self):
        try:
            import vulkan as vk
        except (ImportError, OSError) as missing:
            raise unittest.SkipTest(f"the package vulkan: {missing}")
        with pixmpi.VulkanContext() as context:
            handles = context.handles
            device = vk.ffi.cast("VkDevice", handles["device"])
            usage = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT
            image = vk.vkCreateImage(device, vk.VkImageCreateInfo(
                imageType=vk.VK_IMAGE_TYPE_2D, format=vk.VK_FORMAT_R8G8B8A8_UNORM,
                extent=vk.VkExtent3D(WIDTH, HEIGHT, 1), mipLevels=1, arrayLayers=1, samples=vk.VK_SAMPLE_COUNT_1_BIT,
                tiling=vk.VK_IMAGE_TILING_OPTIMAL, usage=usage, sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE,
                initialLayout=vk.VK_IMAGE_LAYOUT_UNDEFINED), None)
            needs = vk.vkGetImageMemoryRequirements(device, image)
            memory = vk.vkAllocateMemory(device, vk.VkMemoryAllocateInfo(
                allocationSize=needs.size, memoryTypeIndex=(needs.memoryTypeBits & -needs.memoryTypeBits).bit_length() - 1),
                None)
            vk.vkBindImageMemory(device, image, memory, 0)
            first = context.image(image, "RGBA8", (WIDTH, HEIGHT), usage, vk.VK_IMAGE_LAYOUT_UNDEFINED)
            later = context.image(image, "RGBA8", (WIDTH, HEIGHT), usage, vk.VK_IMAGE_LAYOUT_GENERAL)
            comm.sendrecv(pattern(rank), following, first, previous)
            seen = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
            pixmpi.copy(later, seen)
            self.equal(seen, pattern(previous))
            comm.sendrecv(later.sub(2, 3, 9, 5), following, seen, previous, recvregion=(0, 0, 9, 5))
            self.equal(seen[:5, :9], pattern((previous - 1) % comm.size)[3:8, 2:11])
            texture = Textures.get().texture((WIDTH, HEIGHT), 4)
            pixmpi.copy(later, texture)
            self.equal(np.frombuffer(texture.read(), np.uint8).reshape(HEIGHT, WIDTH, 4), pattern(previous))
            vk.vkDestroyImage(device, image, None)
            vk.vkFreeMemory(device, memory, None)
