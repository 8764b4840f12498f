#include "endpoint/straight.h"

#include <algorithm>

namespace pixmpi {

Status Straight::begin(Reach::Part own, int process, const RemoteOperation &operation, Copy &copy) {
    const bool put = operation.kind == RemoteOperation::put;
    std::uint64_t number = 0;
    if (const Status error =
            endpoint_.reach->copy(put, own, process, {operation.window, operation.offset}, operation.bytes, number))
        return error;
    processes_[process].begun = number;
    copy = {process, number};
    return PIXMPI_SUCCESS;
}

bool Straight::all_over() const {
    return std::all_of(processes_.begin(), processes_.end(),
                       [](const auto &one) { return one.second.over >= one.second.begun; });
}

void Straight::notify(int process, const RemoteOperation &operation) {
    const auto found = processes_.find(process);
    if (found == processes_.end() || (found->second.waiting.empty() && found->second.over >= found->second.begun))
        endpoint_.service->notify(process, operation);
    else
        found->second.waiting.push_back({found->second.begun, operation});
}

Status Straight::look() {
    for (auto &[process, one] : processes_) {
        if (one.over < one.begun)
            if (const Status error = endpoint_.reach->look(process, one.over))
                return error;
        while (!one.waiting.empty() && one.waiting.front().behind <= one.over) {
            endpoint_.service->notify(process, one.waiting.front().operation);
            one.waiting.pop_front();
        }
    }
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
