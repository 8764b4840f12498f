// Preloaded behind libmpiglut, it kills ranks, each once at the same place of every run. It also stands for a library
// that draws random numbers when MPI starts, which it does not in a rank that comes back.
//
//   MORTAL="3@5,1@7"  rank 3 dies when it clears for the 5th time, rank 1 the 7th
//   MORTAL_FOLDER     an empty folder, for a file of each dead rank
//   MORTAL_AGAIN      they die there again when they come back
#include <GL/gl.h>

#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(function)                                                                                                 \
    ([]() {                                                                                                            \
        static const auto pointer = reinterpret_cast<decltype(&::function)>(dlsym(RTLD_NEXT, #function));              \
        return pointer;                                                                                                \
    }())

namespace {

int clears = 0;

int own_rank() {
    for (const char *name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"})
        if (const char *rank = std::getenv(name))
            return std::atoi(rank);
    return 0;
}

std::string file(const std::string &name) {
    const char *folder = std::getenv("MORTAL_FOLDER");
    return std::string(folder ? folder : ".") + "/" + name;
}

void look(int rank, int when) {
    if (own_rank() != rank || clears != when)
        return;
    const std::string grave = file("died-" + std::to_string(rank) + "-" + std::to_string(when));
    if (NEXT(mkdir)(grave.c_str(), 0700) == 0 || std::getenv("MORTAL_AGAIN"))
        std::raise(SIGKILL);
}

} // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Init_thread(int *argc, char ***argv, int wanted,
                                                                      int *provided) {
    unsigned drawn = 0;
    if (getentropy(&drawn, sizeof drawn) != 0)
        std::abort();
    return NEXT(MPI_Init_thread)(argc, argv, wanted, provided);
}

extern "C" __attribute__((visibility("default"))) void glClear(GLbitfield mask) {
    ++clears;
    const char *mortal = std::getenv("MORTAL");
    for (const char *at = mortal; at && *at;) {
        char *end = nullptr;
        const long rank = std::strtol(at, &end, 10), when = std::strtol(end + 1, &end, 10);
        look(static_cast<int>(rank), static_cast<int>(when));
        at = *end ? end + 1 : end;
    }
    NEXT(glClear)(mask);
}
