#include "farmer.h"

#include <algorithm>
#include <pixmpi.h>

namespace {

/// A word of the host, as a shader sends and receives it.
pixMPI_Surface surface_of(std::uint32_t &word) { return pixMPI_Memory(&word, PIXMPI_R8, sizeof word, 1); }

} // namespace

Farmer::Farmer(MPI_Comm comm, int workers, const demo::Image &picture, int rows)
    : comm_(comm), picture_(picture), rows_(rows), strips_((picture.height() + rows - 1) / rows), workers_(workers) {
    listen();
}

Farmer::~Farmer() {
    if (question_ != PIXMPI_REQUEST_NULL)
        pixMPI_Cancel(&question_);
}

void Farmer::listen() { pixMPI_Irecv(surface_of(asked_), PIXMPI_WHOLE, MPI_ANY_SOURCE, question, comm_, &question_); }

void Farmer::tell(int whom, std::uint32_t word) {
    GoingOn &one = going_on_.emplace_back(GoingOn{word, PIXMPI_REQUEST_NULL});
    pixMPI_Isend(surface_of(one.word), PIXMPI_WHOLE, whom, answer, comm_, &one.request);
}

void Farmer::receive(int strip, int source) {
    const int y = strip * rows_;
    pixMPI_Region region = PIXMPI_REGION_NULL;
    pixMPI_Region_rect(0, y, picture_.width(), std::min(rows_, picture_.height() - y), &region);
    pixMPI_Region_commit(&region);
    GoingOn &one = going_on_.emplace_back(GoingOn{0, PIXMPI_REQUEST_NULL});
    vkMPI_Irecv(picture_.surface(), region, source, first_strip + strip, comm_, &one.request, nullptr);
    pixMPI_Region_free(&region);
}

bool Farmer::step() {
    int done = 0;
    MPI_Status status;
    bool something = false;
    if (workers_ > 0) {
        pixMPI_Test(&question_, &done, &status);
        if (done) {
            const int strip = static_cast<int>(drawn_by_.size());
            if (strip < strips_) {
                drawn_by_.push_back(status.MPI_SOURCE);
                receive(strip, status.MPI_SOURCE);
                tell(status.MPI_SOURCE, static_cast<std::uint32_t>(strip));
            } else {
                tell(status.MPI_SOURCE, nothing_left);
                --workers_;
            }
            if (workers_ > 0)
                listen();
            something = true;
        }
    }
    for (auto one = going_on_.begin(); one != going_on_.end();) {
        pixMPI_Test(&one->request, &done, MPI_STATUS_IGNORE);
        something = something || done;
        one = done ? going_on_.erase(one) : std::next(one);
    }
    return something;
}
