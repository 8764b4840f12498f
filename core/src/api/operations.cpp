#include "api/operations.h"

#include "base/handles.h"
#include "combine/user_operation.h"

#include <cstdint>
#include <numeric>

using namespace pixmpi;

namespace {

constexpr Operation predefined[] = {Operation::sum,           Operation::prod,   Operation::min,  Operation::max,
                                    Operation::band,          Operation::bor,    Operation::bxor, Operation::over,
                                    Operation::over_straight, Operation::nearest};

const Operation *find_predefined(pixMPI_Op op) {
    const auto number = reinterpret_cast<std::uintptr_t>(op);
    return number >= 1 && number <= std::size(predefined) ? &predefined[number - 1] : nullptr;
}

std::vector<int> natural_order(int size) {
    std::vector<int> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// The argument of pixMPI_Op_ordered.
Status find_unordered(pixMPI_Op op, Reduction &how) {
    if (const Operation *operation = find_predefined(op)) {
        how.operation = *operation;
        return PIXMPI_SUCCESS;
    }
    // What pixMPI_Op_create has made has no order of ranks.
    const std::shared_ptr<Reduction> made = handles_of<Reduction>().find(op);
    if (!made || !made->order.empty())
        return fail(PIXMPI_ERR_ARGUMENT, "op: %s, expected a predefined operation or what pixMPI_Op_create has made",
                    made ? "ordered already"
                    : op ? "foreign or freed"
                         : "PIXMPI_OP_NULL");
    how = *made;
    return PIXMPI_SUCCESS;
}

} // namespace

namespace pixmpi {

Status check_order(int count, const int order[]) {
    if (count < 1 || !order)
        return fail(PIXMPI_ERR_ARGUMENT, "%s",
                    count < 1 ? "count: less than 1, expected the number of ranks"
                              : "order: null, expected a rank for each place");
    std::vector<char> seen(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        if (order[i] < 0 || order[i] >= count || seen[static_cast<std::size_t>(order[i])])
            return fail(PIXMPI_ERR_ARGUMENT, "order[%d]: %d, expected each rank from 0 to %d once", i, order[i],
                        count - 1);
        seen[static_cast<std::size_t>(order[i])] = 1;
    }
    return PIXMPI_SUCCESS;
}

Status find_operation(pixMPI_Op op, int size, Reduction &how) {
    if (const Operation *operation = find_predefined(op)) {
        how.operation = *operation;
        how.order = natural_order(size);
        return PIXMPI_SUCCESS;
    }
    std::shared_ptr<Reduction> made;
    if (const Status error =
            find_handle(op, "op", "PIXMPI_OP_NULL",
                        "PIXMPI_SUM and so on, or what pixMPI_Op_create or pixMPI_Op_ordered has made", made))
        return error;
    how = *made;
    if (how.order.empty())
        how.order = natural_order(size);
    if (how.order.size() != static_cast<std::size_t>(size))
        return fail(PIXMPI_ERR_ARGUMENT, "op: orders %zu ranks, expected the communicator's %d", how.order.size(),
                    size);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi

int pixMPI_Op_create(pixMPI_Op_function function, const char *glsl, void *data, pixMPI_Op *op) {
    return public_call("pixMPI_Op_create", [&]() -> Status {
        if (!function)
            return fail(PIXMPI_ERR_ARGUMENT, "function: null, expected what combines pixels in host memory");
        if (glsl && !*glsl)
            return fail(PIXMPI_ERR_ARGUMENT, "glsl: empty, expected a definition of combine, or null");
        if (!op)
            return fail(PIXMPI_ERR_ARGUMENT, "op: null, expected a pointer to an operation");
        *op = static_cast<pixMPI_Op>(handles_of<Reduction>().insert(
            std::make_shared<Reduction>(Reduction{Operation::user, {}, make_user_operation(function, glsl, data)})));
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Op_ordered(pixMPI_Op op, int count, const int order[], pixMPI_Op *ordered) {
    return public_call("pixMPI_Op_ordered", [&]() -> Status {
        Reduction made;
        if (const Status error = find_unordered(op, made))
            return error;
        if (!ordered)
            return fail(PIXMPI_ERR_ARGUMENT, "ordered: null, expected a pointer to an operation");
        if (const Status error = check_order(count, order))
            return error;
        made.order.assign(order, order + count);
        *ordered = static_cast<pixMPI_Op>(handles_of<Reduction>().insert(std::make_shared<Reduction>(std::move(made))));
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Op_free(pixMPI_Op *op) {
    return public_call("pixMPI_Op_free", [&]() -> Status {
        if (!op || !handles_of<Reduction>().erase(*op))
            return fail(PIXMPI_ERR_ARGUMENT, "op: %s, expected what pixMPI_Op_create or pixMPI_Op_ordered has made",
                        !op                    ? "null"
                        : find_predefined(*op) ? "predefined"
                                               : "foreign or freed");
        *op = PIXMPI_OP_NULL;
        return PIXMPI_SUCCESS;
    });
}
