#include "object/api.h"

#include "object/api_cuda.h"
#include "object/api_gl.h"
#include "object/api_host.h"
#include "object/api_vk.h"

#include <climits>

namespace {

struct Entry {
    const char *name;
    std::unique_ptr<Api> (*make)();
};
constexpr Entry all[] = {{"cuda", make_cuda_api}, {"gl", make_gl_api}, {"host", make_host_api}, {"vk", make_vk_api}};

} // namespace

std::unique_ptr<Object> make_object(Api &api, const std::string &kind, const Shape2D &shape, std::string &problem) {
    const auto bytes = std::int64_t{shape.width} * shape.height * pixMPI_Format_bytes(shape.format);
    if (bytes > INT_MAX) {
        problem = "--size: more than 2 GiB, which one MPI_Send does not take";
        return nullptr;
    }
    auto object = api.make(kind, shape, problem);
    return problem.empty() ? std::move(object) : nullptr;
}

std::string no_depths(Api &api, const std::string &kind, MPI_Comm comm) {
    std::string problem;
    make_object(api, kind, {PIXMPI_DEPTH32F, 1, 1}, problem);
    const int mine = problem.empty() ? 0 : 1;
    int any = 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm);
    return any && problem.empty() ? "another rank has no depths" : problem;
}

std::vector<std::string> api_names() {
    std::vector<std::string> names;
    for (const Entry &entry : all)
        names.emplace_back(entry.name);
    return names;
}

std::unique_ptr<Api> make_api(const std::string &name) {
    for (const Entry &entry : all)
        if (name == entry.name)
            return entry.make();
    return nullptr;
}
