#include "pixbench_rows.h"

#include <gtest/gtest.h>

namespace {

const std::set<std::string> always = {
    "case",          "api",         "bytes",       "seconds", "gbps", "naive_seconds", "host_mpi_seconds",
    "limit_seconds", "ratio_naive", "ratio_limit", "route"};

} // namespace

Outcome bench(int ranks, const std::string &arguments, const std::string &variables) {
    return run_ranks(ranks, PIXBENCH, arguments, variables);
}

std::set<std::string> keys_of(const nlohmann::json &row) {
    std::set<std::string> keys;
    for (const auto &[key, value] : row.items())
        keys.insert(key);
    return keys;
}

const std::set<std::string> &usual_keys() {
    static const std::set<std::string> keys = [] {
        const Outcome o = bench(2, "pt2pt --size 16x16 --api host" + briefly);
        EXPECT_EQ(o.status, 0) << o.error;
        return o.status ? std::set<std::string>() : keys_of(o.json["rows"][0]);
    }();
    for (const std::string &key : always)
        EXPECT_TRUE(keys.contains(key)) << key;
    return keys;
}

void check_rows(const nlohmann::json &all, const std::string &api) {
    std::set<std::string> cases;
    if (!all.is_object() || !all.contains("rows") || all["rows"].empty()) {
        ADD_FAILURE() << "no rows: " << all;
        return;
    }
    for (const nlohmann::json &row : all["rows"]) {
        EXPECT_EQ(keys_of(row), usual_keys()) << row;
        EXPECT_TRUE(cases.insert(row["case"]).second) << "twice: " << row["case"];
        EXPECT_EQ(row["api"], api);
        for (const std::string key :
             {"bytes", "seconds", "gbps", "naive_seconds", "host_mpi_seconds", "limit_seconds"}) {
            EXPECT_TRUE(row[key].is_number()) << key << " of " << row["case"];
            if (row[key].is_number()) {
                EXPECT_GT(row[key], 0) << key << " of " << row["case"];
            }
        }
        const double seconds = row["seconds"];
        EXPECT_NEAR(row["gbps"], row["bytes"].get<double>() / seconds * 1e-9, 1e-6 + row["gbps"].get<double>() * 1e-6);
        EXPECT_NEAR(row["ratio_naive"], row["naive_seconds"].get<double>() / seconds,
                    1e-3 * row["ratio_naive"].get<double>());
        EXPECT_NEAR(row["ratio_limit"], row["limit_seconds"].get<double>() / seconds,
                    1e-3 * row["ratio_limit"].get<double>());
    }
}
