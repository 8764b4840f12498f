// The calls that say how pictures become one.
#include "agreement.h"
#include "context.h"

#include <algorithm>

using namespace icet;

namespace {

struct Named {
    IceTEnum value;
    const char *name;
};
constexpr Named strategies[] = {{ICET_STRATEGY_DIRECT, "direct"},
                                {ICET_STRATEGY_SEQUENTIAL, "sequential"},
                                {ICET_STRATEGY_SPLIT, "split"},
                                {ICET_STRATEGY_REDUCE, "reduce"},
                                {ICET_STRATEGY_VTREE, "virtual tree"}};
constexpr Named single_strategies[] = {{ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC, "automatic"},
                                       {ICET_SINGLE_IMAGE_STRATEGY_BSWAP, "binary swap"},
                                       {ICET_SINGLE_IMAGE_STRATEGY_TREE, "binary tree"},
                                       {ICET_SINGLE_IMAGE_STRATEGY_RADIXK, "radix-k"},
                                       {ICET_SINGLE_IMAGE_STRATEGY_RADIXKR, "radix-kr"},
                                       {ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING, "binary swap with folding"}};

template <std::size_t count> const char *name_in(const Named (&names)[count], IceTEnum value) {
    for (const Named &named : names)
        if (named.value == value)
            return named.name;
    return nullptr;
}

Failure no_such(const char *argument, IceTEnum value, const char *expected) {
    return {ICET_INVALID_ENUM, std::string(argument) + ": " + std::to_string(value) + ", expected " + expected};
}

bool &feature(Context &context, IceTEnum pname) {
    const auto found = context.settings.features.find(pname);
    if (found == context.settings.features.end())
        throw Failure{ICET_INVALID_VALUE, "pname: " + std::to_string(pname) + ", expected a feature of icetEnable"};
    return found->second;
}

} // namespace

void icetSetColorFormat(IceTEnum color_format) {
    in_context("icetSetColorFormat", [&](Context &context) {
        check_not_drawing(context);
        if (color_format != ICET_IMAGE_COLOR_NONE && channels(color_format) == 0)
            throw no_such("color_format", color_format, "one of ICET_IMAGE_COLOR_");
        context.settings.formats.color = color_format;
    });
}

void icetSetDepthFormat(IceTEnum depth_format) {
    in_context("icetSetDepthFormat", [&](Context &context) {
        check_not_drawing(context);
        if (depth_format != ICET_IMAGE_DEPTH_NONE && depth_format != ICET_IMAGE_DEPTH_FLOAT)
            throw no_such("depth_format", depth_format, "one of ICET_IMAGE_DEPTH_");
        context.settings.formats.depth = depth_format;
    });
}

void icetStrategy(IceTEnum strategy) {
    in_context("icetStrategy", [&](Context &context) {
        if (!name_in(strategies, strategy))
            throw no_such("strategy", strategy, "one of ICET_STRATEGY_");
        context.settings.strategy = strategy;
    });
}

void icetSingleImageStrategy(IceTEnum strategy) {
    in_context("icetSingleImageStrategy", [&](Context &context) {
        if (!name_in(single_strategies, strategy))
            throw no_such("strategy", strategy, "one of ICET_SINGLE_IMAGE_STRATEGY_");
        context.settings.single_strategy = strategy;
    });
}

const char *icetGetStrategyName(void) {
    return in_context("icetGetStrategyName", static_cast<const char *>(nullptr),
                      [](Context &context) { return name_in(strategies, context.settings.strategy); });
}

const char *icetGetSingleImageStrategyName(void) {
    return in_context("icetGetSingleImageStrategyName", static_cast<const char *>(nullptr),
                      [](Context &context) { return name_in(single_strategies, context.settings.single_strategy); });
}

void icetCompositeMode(IceTEnum mode) {
    in_context("icetCompositeMode", [&](Context &context) {
        if (mode != ICET_COMPOSITE_MODE_Z_BUFFER && mode != ICET_COMPOSITE_MODE_BLEND)
            throw no_such("mode", mode, "one of ICET_COMPOSITE_MODE_");
        context.settings.mode = mode;
    });
}

void icetCompositeOrder(const IceTInt *process_ranks) {
    in_context("icetCompositeOrder", [&](Context &context) {
        if (!process_ranks)
            throw Failure{ICET_INVALID_VALUE, "process_ranks: null, expected each rank once"};
        std::vector<IceTInt> order(process_ranks, process_ranks + context.size());
        std::vector<IceTInt> sorted = order;
        std::sort(sorted.begin(), sorted.end());
        for (int rank = 0; rank < context.size(); ++rank)
            if (sorted[static_cast<std::size_t>(rank)] != rank)
                throw Failure{ICET_INVALID_VALUE, "process_ranks: no rank " + std::to_string(rank) +
                                                      " in it, expected each of 0 to " +
                                                      std::to_string(context.size() - 1) + " once"};
        context.settings.order = std::move(order);
    });
}

void icetDataReplicationGroup(IceTInt size, const IceTInt *processes) {
    in_context("icetDataReplicationGroup", [&](Context &context) {
        check_not_drawing(context);
        if (size < 1 || !processes)
            throw Failure{ICET_INVALID_VALUE, size < 1 ? "size: " + std::to_string(size) + ", expected from 1"
                                                       : std::string("processes: null, expected ranks")};
        std::vector<IceTInt> group(processes, processes + size);
        std::sort(group.begin(), group.end());
        group.erase(std::unique(group.begin(), group.end()), group.end());
        if (group.front() < 0 || group.back() >= context.size())
            throw Failure{ICET_INVALID_VALUE,
                          "processes: " + std::to_string(group.front() < 0 ? group.front() : group.back()) +
                              ", expected ranks from 0 to " + std::to_string(context.size() - 1)};
        if (!std::binary_search(group.begin(), group.end(), context.rank()))
            throw Failure{ICET_INVALID_VALUE, "processes: this rank is not in it"};
        context.settings.group = std::move(group);
    });
}

void icetDataReplicationGroupColor(IceTInt color) {
    in_context("icetDataReplicationGroupColor", [&](Context &context) {
        check_not_drawing(context);
        const Words mine = {static_cast<std::uint32_t>(color), 0, 0, 0};
        Telling telling(context, mine);
        const std::vector<Words> &all = telling.words();
        context.settings.group.clear();
        for (int rank = 0; rank < context.size(); ++rank)
            if (all[static_cast<std::size_t>(rank)] == mine)
                context.settings.group.push_back(rank);
    });
}

void icetEnable(IceTEnum pname) {
    in_context("icetEnable", [&](Context &context) { feature(context, pname) = true; });
}

void icetDisable(IceTEnum pname) {
    in_context("icetDisable", [&](Context &context) { feature(context, pname) = false; });
}

IceTBoolean icetIsEnabled(IceTEnum pname) {
    return in_context("icetIsEnabled", IceTBoolean{ICET_FALSE},
                      [&](Context &context) { return static_cast<IceTBoolean>(feature(context, pname)); });
}

void icetDrawCallback(IceTDrawCallbackType callback) {
    in_context("icetDrawCallback", [&](Context &context) { context.settings.draw = callback; });
}
