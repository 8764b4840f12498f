// All variables of the environment that people set, in one table. The libraries take the words of a variable from here
// (base/environment.h), and the launcher of walls checks its variables by it. `pixmpi_info --variables` prints it, and
// docs/reference/environment.md is that text.
#pragma once

#include <algorithm>
#include <string_view>

namespace pixmpi {

struct Variable {
    std::string_view group, name;
    /// Words between bars, in the order that the code counts them. Otherwise what the value is, with a capital letter.
    std::string_view values;
    std::string_view usual; ///< what counts when the variable is not set, or empty
    std::string_view meaning;
    long least = 0, most = 0; ///< of a number in the unit that `values` names; equal for what is no number

    constexpr bool has_words() const { return values.front() < 'A' || values.front() > 'Z'; }
    constexpr bool is_number() const { return least < most; }
};

inline constexpr Variable variables[] = {
    {"Messages", "PIXMPI_ROUTE", "A list of peer, shm and mpi; or auto", "auto", "the routes that messages may use"},
    {"Messages", "PIXMPI_BAND", "Bytes", "as suits the device", "what travels in one piece"},
    {"Messages", "PIXMPI_STAGE", "Bytes", "64M", "maximum of host memory for messages under way, for each process"},
    {"Messages", "PIXMPI_PEER", "Bytes", "1G, or less on a small GPU",
     "GPU memory for messages between GPUs, for each context"},
    {"Messages", "PIXMPI_EAGER", "Bytes", "64K", "sends up to this size complete without waiting for the receiver"},
    {"Messages", "PIXMPI_PROGRESS", "calls|thread", "calls",
     "what moves messages along: the program's calls alone, or also a library thread"},
    {"Messages", "PIXMPI_CODEC", "A codec, such as lz4 or jpeg:85:opaque", "none",
     "the codec that communicators begin with"},
    {"Messages", "PIXMPI_JPEG", "auto|cpu|device", "auto",
     "what computes JPEG for pixels on a GPU; auto: GPUs by their shaders, software drivers by the CPU"},
    {"Messages", "PIXMPI_SEARCH", "auto|cpu|device", "auto",
     "what looks for the pixels that compositors must send; the same words"},
    {"Messages", "PIXMPI_ERRORS", "default|print|abort|return", "print", "what a call that fails does"},
    {"Messages", "PIXMPI_LOG", "none|error|info|debug", "none", "how much the library writes to standard error"},
    {"Messages", "PIXMPI_CUDA", "0|1", "1",
     "whether GPUs reach shared memory by NVIDIA's CUDA driver, if there is one; libcudampi uses it anyway"},
    {"Messages", "PIXMPI_GPU_AWARE", "auto|0|1", "auto",
     "whether MPI gets pointers to GPU memory; auto: if MPI says that it accepts them"},
    {"Messages", "PIXMPI_SHADOW", "auto|userfaultfd|signal", "auto",
     "how shared memory notices touches of the CPU; a word also gives software drivers a shadow"},
    {"Messages", "PIXMPI_FILE_IO", "uring|threads", "uring, if the system has it", "what reads and writes files"},
    {"Messages", "PIXMPI_DEVICE_MODE", "automatic|suspending|running|timeline", "automatic",
     "how shaders wait for messages"},
    {"OpenGL", "PIXMPI_GL_DEVICE", "A GPU's number, a part of its driver's name or device file, or software",
     "the ranks of a host alternate", "the GPU of glMPI_Context_create"},
    {"OpenGL", "PIXMPI_GL_PATH", "direct|card|pbo", "direct on software drivers, otherwise card",
     "how pixels pass OpenGL: all by pointer; a few by pointer; all through pixel buffers"},
    {"OpenGL", "PIXMPI_GL_PACK", "auto|shader|commands", "auto", "what packs, unpacks and combines pixels"},
    {"OpenGL", "PIXMPI_GL_FETCH", "release|touch", "touch on software drivers, otherwise release",
     "when shared memory gets what OpenGL wrote: in pixMPI_Shared_to_host, or when the CPU touches a block"},
    {"Vulkan", "PIXMPI_VK_DEVICE", "A device's number, or a part of its name",
     "the most capable kind; the ranks of a host alternate", "the device of vkMPI_Context_create without an info"},
    {"Vulkan", "PIXMPI_VK_PATH", "import|copy", "import",
     "whether the GPU accesses stage memory itself, or the CPU copies"},
    {"Vulkan", "PIXMPI_VK_AHEAD", "never|always", "always on GPUs, never on software drivers",
     "whether a call that waits for a message submits its unpacking before the pixels are there"},
    {"Vulkan", "PIXMPI_VK_QUEUE", "graphics|compute", "graphics",
     "the queue of vkMPI_Context_create without an info; compute: one without graphics, if the device has it"},
    {"Vulkan", "PIXMPI_VK_PACK", "commands|shader", "shader on GPUs, commands on software drivers",
     "what packs, unpacks and combines pixels"},
    {"CUDA", "PIXMPI_CUDA_PACK", "kernels|copies", "kernels", "what packs, unpacks and combines pixels"},
    {"CUDA", "PIXMPI_CUDA_IN_PLACE", "always|never", "always",
     "whether a receiver unpacks pixels from the sender's own memory"},
    {"Walls", "MPIGLUT_MPIEXEC_ARGS", "Words", "", "more arguments for mpiexec"},
    {"Walls", "MPIGLUT_LAUNCH_TIMEOUT", "Seconds", "30", "how long the ranks may take to start", 1, 86'400},
    {"Walls", "MPIGLUT_LIB", "A file", "that of this package", "another libmpiglut.so"},
    {"Walls", "MPIGLUT_SHARED_FOLDER", "A folder", "the home folder",
     "a folder that all hosts of a batch job see, for the secret of the run"},
    {"Walls", "MPIGLUT_SOUND", "yes|no", "as the host's devices say", "whether rank 0's host can play sound"},
    {"Walls", "MPIGLUT_FFMPEG", "A program, or none", "ffmpeg", "what codes films; none: films are AVI files"},
    {"Walls", "WALL_LINK", "A link", "that of a server on this host", "the page that wallctl operates"},
    {"Walls", "WALL_LINK_FILE", "A file", "", "a file with that link"},
    {"Tests of walls", "MPIGLUT_MAX_VIEWPORT", "Pixels", "the driver's", "a smaller limit of viewports", 1, 1 << 20},
    {"Tests of walls", "MPIGLUT_REJOIN", "Ticks", "", "when a tile that comes back may join", -1, 1 << 20},
    {"Tests of walls", "MPIGLUT_BALANCE", "force|sweep", "by measured times", "how work is shared out"},
    {"Tests of walls", "MPIGLUT_GPU_TIME", "yes|no", "no", "whether software drivers are asked for the GPU's time"},
    {"Tests of walls", "MPIGLUT_PBUFFERS", "yes|no", "yes", "whether pbuffers are used"},
    {"Tests of walls", "MPIGLUT_STEP_PATIENCE", "Seconds", "10",
     "with --clock step, how long a tick may last before a loop that reads the clock gets real time"},
};

/// Null if there is no such variable.
constexpr const Variable *find_variable(std::string_view name) {
    const Variable *const found = std::find_if(std::begin(variables), std::end(variables),
                                               [&](const Variable &variable) { return variable.name == name; });
    return found == std::end(variables) ? nullptr : found;
}

/// Calls `each` with the words of a list with bars, in their order.
template <class Each> constexpr void each_word(std::string_view words, Each &&each) {
    for (;;) {
        const std::size_t bar = words.find('|');
        each(words.substr(0, bar));
        if (bar == words.npos)
            return;
        words.remove_prefix(bar + 1);
    }
}

} // namespace pixmpi
