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

std::set<std::string> check_rows(const nlohmann::json &all, const std::string &api) {
    std::set<std::string> keys, cases;
    if (!all.is_object() || !all.contains("rows") || all["rows"].empty()) {
        ADD_FAILURE() << "no rows: " << all;
        return keys;
    }
    keys = keys_of(all["rows"][0]);
    for (const std::string &key : always)
        EXPECT_TRUE(keys.contains(key)) << key;
    for (const nlohmann::json &row : all["rows"]) {
        EXPECT_EQ(keys_of(row), keys) << row;
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
    return keys;
}
