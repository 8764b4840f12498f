# A recipe for Spack: copy this folder to var/spack/repos/builtin/packages/pixmpi, or to a repository of your own.
from spack.package import *


class Pixmpi(CMakePackage):
    """MPI messages between OpenGL textures, Vulkan images and host memory, and display walls for unchanged programs."""

    license("MIT")

    version("develop", branch="main")

    variant("opengl", default=True, description="libglmpi")
    variant("vulkan", default=True, description="libvkmpi")
    variant("device", default=True, description="Messages from shaders")
    variant("wall", default=False, description="libmpiglut, its launcher and the operator's page")
    variant("files", default=True, description="TIFF, and files past the page cache")
    variant("programs", default=False, description="Demos and benchmarks", when="+opengl+vulkan+device+wall")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("lz4")
    depends_on("libjpeg-turbo")
    depends_on("gl", when="+opengl")
    depends_on("egl", when="+opengl")
    depends_on("vulkan-headers", when="+vulkan")
    depends_on("vulkan-loader", when="+vulkan")
    depends_on("glslang", when="+vulkan")
    depends_on("spirv-tools", when="+vulkan", type="build")
    depends_on("libtiff", when="+files")
    depends_on("liburing", when="+files")
    with when("+wall"):
        depends_on("freeglut")
        depends_on("libx11")
        depends_on("libxtst")
        depends_on("libpng")
        depends_on("openssl")
        depends_on("libwebsockets")
        depends_on("tomlplusplus")
        depends_on("nlohmann-json@3.10:")
        depends_on("cli11")

    conflicts("platform=darwin", msg="pixmpi runs on Linux only")
    conflicts("platform=windows", msg="pixmpi runs on Linux only")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("PIXMPI_MPI", "auto"),
            self.define("PIXMPI_TESTS", False),
            self.define_from_variant("PIXMPI_OPENGL", "opengl"),
            self.define_from_variant("PIXMPI_VULKAN", "vulkan"),
            self.define_from_variant("PIXMPI_DEVICE", "device"),
            self.define_from_variant("PIXMPI_WALL", "wall"),
            self.define_from_variant("PIXMPI_FILES", "files"),
            self.define_from_variant("PIXMPI_PROGRAMS", "programs"),
        ]
