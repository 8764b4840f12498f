// Lines between strips of a picture that should take equally long. The times so far say how much work a row of each
// strip is. Line i belongs where the sum of that work, row by row, reaches its i-th part of all.
#include "base/status.h"
#include "pixmpi_compositor.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace pixmpi;

namespace {

Status check_balance(int count, const double seconds[], int extent, const int lines[]) {
    if (count < 1)
        return fail(PIXMPI_ERR_ARGUMENT, "count: %d, expected from 1", count);
    if (!seconds || !lines)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected %d numbers", seconds ? "lines" : "seconds",
                    seconds ? count + 1 : count);
    if (extent < count)
        return fail(PIXMPI_ERR_ARGUMENT, "extent: %d, expected from %d, a pixel for each strip", extent, count);
    for (int i = 0; i < count; ++i)
        if (!(seconds[i] >= 0) || std::isinf(seconds[i]))
            return fail(PIXMPI_ERR_ARGUMENT, "seconds[%d]: %g, expected a number from 0", i, seconds[i]);
    for (int end : {0, count})
        if (lines[end] != (end ? extent : 0))
            return fail(PIXMPI_ERR_ARGUMENT, "lines[%d]: %d, expected %d", end, lines[end], end ? extent : 0);
    for (int i = 1; i <= count; ++i)
        if (lines[i] < lines[i - 1])
            return fail(PIXMPI_ERR_ARGUMENT, "lines[%d]: %d, expected from %d, the line before", i, lines[i],
                        lines[i - 1]);
    return PIXMPI_SUCCESS;
}

Status balance(int count, const double seconds[], int extent, int lines[]) {
    if (const Status error = check_balance(count, seconds, extent, lines))
        return error;
    const double most = *std::max_element(seconds, seconds + count); // times in its parts: their sum is finite
    std::vector<double> until(static_cast<std::size_t>(count) + 1);  // work up to each line
    for (int i = 0; i < count; ++i)
        until[i + 1] = until[i] + (most > 0 ? seconds[i] / most : 0);
    std::vector<int> next(lines, lines + count + 1);
    for (int i = 1, strip = 0; i < count && most > 0; ++i) {
        const double goal = until[count] * i / count;
        while (strip + 1 < count && until[strip + 1] < goal)
            ++strip;
        const double work = until[strip + 1] - until[strip];
        const double part = work > 0 ? (goal - until[strip]) / work : 0;
        const double position = lines[strip] + part * (lines[strip + 1] - lines[strip]);
        next[i] += static_cast<int>(std::lround((position - lines[i]) / 2));
    }
    for (int i = 1; i < count; ++i)
        next[i] = std::max(next[i], next[i - 1] + 1);
    for (int i = count - 1; i > 0; --i)
        next[i] = std::min(next[i], next[i + 1] - 1);
    std::copy(next.begin(), next.end(), lines);
    return PIXMPI_SUCCESS;
}

} // namespace

int pixMPI_Balance(int count, const double seconds[], int extent, int lines[]) {
    return call_without_lock("pixMPI_Balance", [&] { return balance(count, seconds, extent, lines); });
}
