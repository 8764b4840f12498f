#include "baseline/host_type.h"

HostType::HostType(const RegionCase &what, const std::vector<pixMPI_Rect> &rects, int pixel_bytes)
    : image_(static_cast<std::size_t>(what.width) * static_cast<std::size_t>(what.height) *
                 static_cast<std::size_t>(pixel_bytes),
             std::byte{1}) {
    std::vector<int> lengths, places;
    for (const Run &run : runs_of(rects, what.width)) {
        lengths.push_back(run.length);
        places.push_back(run.at);
    }
    MPI_Datatype pixel = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(pixel_bytes, MPI_BYTE, &pixel);
    // MPI libraries copy their own types faster than made ones.
    const MPI_Datatype element = pixel_bytes == 4 ? MPI_UINT32_T : pixel_bytes == 1 ? MPI_BYTE : pixel;
    MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), element, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&pixel);
}
