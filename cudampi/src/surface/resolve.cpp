// From what the program names to a surface: asks CUDA's driver what it is, and checks it.
#include "cudampi.h"
#include "device/surface_checks.h"
#include "surface/cuda_surface.h"

namespace cudampi {

using namespace pixmpi;

namespace {

/// The formats of CUDA's arrays (CUarray_format), by bytes: an unsigned one is taken for numbers from 0 to 1.
pixMPI_Format format_of(const CudaArrayShape &shape) {
    constexpr pixMPI_Format none = PIXMPI_FORMAT_NONE;
    struct Row {
        int format;
        pixMPI_Format one, two, four;
    };
    static constexpr Row rows[] = {
        {0x01, PIXMPI_R8, PIXMPI_RG8, PIXMPI_RGBA8},          {0x02, PIXMPI_R16, PIXMPI_RG16, PIXMPI_RGBA16},
        {0x03, PIXMPI_R32UI, PIXMPI_RG32UI, PIXMPI_RGBA32UI}, {0x08, PIXMPI_R8I, PIXMPI_RG8I, PIXMPI_RGBA8I},
        {0x09, PIXMPI_R16I, PIXMPI_RG16I, PIXMPI_RGBA16I},    {0x0a, PIXMPI_R32I, PIXMPI_RG32I, PIXMPI_RGBA32I},
        {0x10, PIXMPI_R16F, PIXMPI_RG16F, PIXMPI_RGBA16F},    {0x20, PIXMPI_R32F, PIXMPI_RG32F, PIXMPI_RGBA32F}};
    for (const Row &row : rows)
        if (row.format == shape.format)
            return shape.channels == 1   ? row.one
                   : shape.channels == 2 ? row.two
                   : shape.channels == 4 ? row.four
                                         : none;
    return none;
}

/// Takes the stream's context, if memory is there for it, too: that of the host and managed memory always is.
Status choose_context(void *stream, PointerFacts &facts) {
    if (is_special(stream))
        return PIXMPI_SUCCESS;
    Context of_stream;
    if (const Status status = context_of_stream(stream, of_stream))
        return status;
    if (facts.is_device && of_stream.device != facts.context.device)
        return fail(PIXMPI_ERR_SURFACE, "surface: of GPU %d, and its stream is of GPU %d, expected one GPU",
                    facts.context.device, of_stream.device);
    if (facts.is_device && facts.owner && of_stream.handle != facts.owner)
        return fail(PIXMPI_ERR_SURFACE, "surface: of another context of GPU %d than its stream, expected one context",
                    of_stream.device);
    facts.context = of_stream;
    return PIXMPI_SUCCESS;
}

Status check_memory(const pixMPI_Surface &named) {
    if (const Status status = check_plain_surface("format", named.format, named.width, named.height))
        return status;
    const FormatInfo &format = format_info(named.format);
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(named.width) * format.bytes;
    const std::ptrdiff_t most = PTRDIFF_MAX / std::max(1, named.height);
    if (named.row_bytes < row || named.row_bytes > most)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.row_bytes: %td, expected at least the %td of %d %s pixels, and at most %td",
                    named.row_bytes, row, named.width, format.name, most);
    if (!named.data && named.width > 0 && named.height > 0)
        return fail(PIXMPI_ERR_SURFACE, "surface.data: null, expected the address of %dx%d pixels", named.width,
                    named.height);
    return PIXMPI_SUCCESS;
}

Status resolve_memory(const pixMPI_Surface &named, std::shared_ptr<CudaSurface> &surface) {
    if (const Status status = check_memory(named))
        return status;
    PointerFacts facts;
    if (!named.data || named.width == 0 || named.height == 0) { // any GPU will do
        facts.known = true;
        Context context;
        if (const Status status = current_context(context))
            return status;
        if (const Status status = context.handle ? PIXMPI_SUCCESS : primary_context(0, context))
            return status;
        facts.context = context;
    } else if (const Status status = look_at_pointer(named.data, facts)) {
        return status;
    }
    if (!facts.known)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.data: %p, no memory of CUDA, expected device, managed or pinned memory", named.data);
    if (const Status status = choose_context(stream_of(named), facts))
        return status;
    std::shared_ptr<CudaDevice> device;
    if (const Status status = device_of(facts.context, device))
        return status;
    surface = std::make_shared<CudaSurface>(device, Extent{named.width, named.height}, named.format);
    surface->address = reinterpret_cast<CudaAddress>(named.data);
    surface->row_bytes = static_cast<std::size_t>(named.row_bytes);
    return PIXMPI_SUCCESS;
}

/// An array is of a context that CUDA does not tell: the stream's, or the one that this thread has current.
Status array_context(const pixMPI_Surface &named, Context &context) {
    void *const stream = stream_of(named);
    if (const Status status = is_special(stream) ? current_context(context) : context_of_stream(stream, context))
        return status;
    return context.handle ? PIXMPI_SUCCESS
                          : fail(PIXMPI_ERR_CONTEXT,
                                 "surface: an array, and no context of CUDA is current on this thread, nor is there a "
                                 "stream");
}

Status find_array(const pixMPI_Surface &named, void *&array, CudaArrayShape &shape) {
    if (!named.data)
        return fail(PIXMPI_ERR_SURFACE, "surface.data: null, expected an array of CUDA");
    array = named.data;
    if (static_cast<Kind>(named.kind) == Kind::mipmapped)
        if (const CudaResult result = driver().cuMipmappedArrayGetLevel(&array, named.data, level_of(named)))
            return fail(PIXMPI_ERR_SURFACE, "surface: level %u, which the mipmapped array has not (CUDA's error %d)",
                        level_of(named), result);
    return CUDA_TRY(cuArray3DGetDescriptor_v2, &shape, array);
}

Status resolve_array(const pixMPI_Surface &named, std::shared_ptr<CudaSurface> &surface) {
    Context context;
    if (const Status status = array_context(named, context))
        return status;
    const Current current(context.handle);
    void *array = nullptr;
    CudaArrayShape shape{};
    if (const Status status = find_array(named, array, shape))
        return status;
    const pixMPI_Format own = format_of(shape), format = named.format == PIXMPI_FORMAT_NONE ? own : named.format;
    if (const Status status = check_plain_surface("format", format, 0, 0))
        return own == PIXMPI_FORMAT_NONE && named.format == own
                   ? fail(PIXMPI_ERR_FORMAT,
                          "surface: an array of CUDA's format %d with %u channels, expected integers "
                          "and floats of 1, 2 or 4 channels",
                          shape.format, shape.channels)
                   : status;
    if (own == PIXMPI_FORMAT_NONE || format_info(own).bytes != format_info(format).bytes)
        return fail(PIXMPI_ERR_FORMAT, "surface.format: %s, expected one with the %d bytes of the array's pixels",
                    format_info(format).name, format_info(own).bytes);
    const std::size_t layers = std::max<std::size_t>(1, shape.depth);
    if (layer_of(named) >= layers)
        return fail(PIXMPI_ERR_SURFACE, "surface: layer %u, expected less than the array's %zu", layer_of(named),
                    layers);
    std::shared_ptr<CudaDevice> device;
    if (const Status status = device_of(context, device))
        return status;
    const Extent extent{static_cast<int>(shape.width), static_cast<int>(std::max<std::size_t>(1, shape.height))};
    surface = std::make_shared<CudaSurface>(device, extent, format);
    surface->array = array;
    surface->array_shape = shape;
    surface->layer = layer_of(named);
    return PIXMPI_SUCCESS;
}

} // namespace

CudaSurface::~CudaSurface() {
    cuda_.buffers.give_back(Place::device, std::move(own_));
    if (!array_object_)
        return;
    if (const Current current(cuda_.context.handle); current.pushed())
        (void)CUDA_DO(cuSurfObjectDestroy, array_object_);
}

bool CudaSurface::show(Pixels &pixels) {
    pixels = {address, row_bytes};
    if (!is_array())
        return true;
    if (array_shape.height == 0 || !(array_shape.flags & cuda_array_surface))
        return false;
    const CudaResource resource{0, array, {}};
    const Current current(cuda_.context.handle);
    if (!array_object_ && !CUDA_DO(cuSurfObjectCreate, &array_object_, &resource))
        return false;
    const bool in_layers = array_shape.flags & (cuda_array_layered | cuda_array_cube);
    pixels = {array_object_, array_pitch,
              in_layers                ? kernels::layered
              : array_shape.depth == 0 ? kernels::flat
                                       : kernels::solid,
              static_cast<std::uint32_t>(layer), true};
    return true;
}

Status resolve(const pixMPI_Surface &named, std::shared_ptr<CudaSurface> &surface) {
    if (named.api != PIXMPI_API_CUDA)
        return fail(PIXMPI_ERR_SURFACE, "surface: of another API, expected one of CUDA");
    if (named.kind > static_cast<std::uint8_t>(Kind::mipmapped))
        return fail(PIXMPI_ERR_SURFACE, "surface.kind: %d, expected what a function of cudaMPI has made", named.kind);
    if (!cuda_driver_is_there())
        return fail(PIXMPI_ERR_SURFACE,
                    "surface: of CUDA, and its driver library, libcuda.so.1, is not there or finds no "
                    "GPU");
    if (stream_of(named) == reinterpret_cast<void *>(stream_of_thread))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface: the default stream of a thread, expected a stream that all threads know: "
                    "messages are started in any of them");
    std::shared_ptr<CudaSurface> found;
    const bool memory = static_cast<Kind>(named.kind) == Kind::memory;
    if (const Status status = memory ? resolve_memory(named, found) : resolve_array(named, found))
        return status;
    found->stream = stream_of(named);
    surface = std::move(found);
    return PIXMPI_SUCCESS;
}

} // namespace cudampi
