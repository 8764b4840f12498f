// Dissemination: in round k each rank sends to the one 2^k further, and receives from the one 2^k before;
// after ceil(log2 n) rounds each has heard of all (Hensgen, Finkel and Manber 1988). An error of a rank travels the
// same way.
#include "collective/collective.h"

namespace pixmpi {

Plan::Steps barrier(Plan &plan, Plan::Steps after, int label) {
    const int n = plan.size();
    Plan::Steps heard = std::move(after);
    for (int distance = 1, round = 0; distance < n; distance *= 2, ++round) {
        plan.send_nothing((plan.rank() + distance) % n, label + round, heard);
        heard.push_back(plan.recv_nothing((plan.rank() + n - distance) % n, label + round));
    }
    return heard;
}

} // namespace pixmpi
