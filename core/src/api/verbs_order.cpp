// An order of boxes from front to back.
#include "base/status.h"
#include "pixmpi_compositor.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pixmpi {
namespace {

/// Whether `a` has to stand before `b`: a plane across an axis lies between them, and the eye on a's side of it, or on
/// the plane's other side than b.
bool hides(const pixMPI_Box &a, const pixMPI_Box &b, const double eye[3]) {
    bool before = false, behind = false;
    for (int axis = 0; axis < 3; ++axis) {
        // Planes at the edge of either box: the eye in the gap between them sees both, whatever the order.
        if (a.max[axis] <= b.min[axis]) {
            before = before || eye[axis] <= a.max[axis];
            behind = behind || eye[axis] >= b.min[axis];
        }
        if (b.max[axis] <= a.min[axis]) {
            before = before || eye[axis] >= a.min[axis];
            behind = behind || eye[axis] <= b.max[axis];
        }
    }
    return before && !behind;
}

double distance(const pixMPI_Box &box, const double eye[3]) {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double out = std::max({box.min[axis] - eye[axis], eye[axis] - box.max[axis], 0.0});
        sum += out * out;
    }
    return sum;
}

Status order_boxes(int count, const pixMPI_Box boxes[], const double eye[3], int order[]) {
    if (count < 1 || !boxes || !eye || !order)
        return fail(PIXMPI_ERR_ARGUMENT, "%s", count < 1 ? "count: less than 1, expected 1 or more"
                                                         : "boxes, eye, order: null, expected pointers");
    for (int i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (!(boxes[i].min[axis] <= boxes[i].max[axis]) || !std::isfinite(eye[axis]))
                return fail(PIXMPI_ERR_ARGUMENT,
                            "boxes[%d]: from %g to %g, the eye at %g, expected numbers that ascend", i,
                            boxes[i].min[axis], boxes[i].max[axis], eye[axis]);
    std::vector<int> left(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        left[static_cast<std::size_t>(i)] = i;
    std::stable_sort(left.begin(), left.end(),
                     [&](int a, int b) { return distance(boxes[a], eye) < distance(boxes[b], eye); });
    for (int place = 0; place < count; ++place) {
        // The nearest of those before which none has to stand; where boxes overlap there may be none.
        auto next = std::find_if(left.begin(), left.end(), [&](int one) {
            return std::none_of(left.begin(), left.end(),
                                [&](int other) { return other != one && hides(boxes[other], boxes[one], eye); });
        });
        next = next == left.end() ? left.begin() : next;
        order[place] = *next;
        left.erase(next);
    }
    return PIXMPI_SUCCESS;
}

} // namespace
} // namespace pixmpi

int pixMPI_Order_boxes(int count, const pixMPI_Box boxes[], const double eye[3], int order[]) {
    return pixmpi::call_without_lock("pixMPI_Order_boxes",
                                     [&] { return pixmpi::order_boxes(count, boxes, eye, order); });
}
