// Choices by environment variables. A word that is none of a variable's is an error: who mistypes one would measure, or
// debug, what he did not ask for. Inline, since glmpi and vkmpi have their own variables.
#pragma once

#include "base/status.h"
#include "base/variables.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace pixmpi {

/// `chosen` (an enumeration, or bool): its value is the place of the variable's word in `words`, from 0. Left as it is
/// if the variable is not set, or empty.
template <class Choice> Status read_word(const char *variable, std::string_view words, Choice &chosen) {
    const char *const text = std::getenv(variable);
    if (!text || !*text)
        return PIXMPI_SUCCESS;
    int place = 0, found = -1;
    std::string expected;
    each_word(words, [&](std::string_view word) {
        const bool last = word.data() + word.size() == words.data() + words.size();
        expected += (expected.empty() ? "" : last ? " or " : ", ") + std::string(word);
        found = word == text ? place : found;
        ++place;
    });
    if (found < 0)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: \"%s\", expected %s", variable, text, expected.c_str());
    chosen = static_cast<Choice>(found);
    return PIXMPI_SUCCESS;
}

/// The same for a variable of the table.
template <class Choice> Status read_word(const char *variable, Choice &chosen) {
    return read_word(variable, find_variable(variable)->values, chosen);
}

/// Of this process, as the launcher of MPI says it in the environment; 0 when it does not.
inline int rank_within_host() {
    for (const char *name :
         {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
        if (const char *text = std::getenv(name))
            return std::max(0, std::atoi(text));
    return 0;
}

} // namespace pixmpi
