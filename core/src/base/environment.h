// Choices by environment variables. A word that is none of a variable's is an error: who mistypes one would measure, or
// debug, what he did not ask for. Inline, since glmpi and vkmpi have variables of their own.
#pragma once

#include "base/status.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

namespace pixmpi {

/// `chosen` (an enumeration, or bool): its value is the place of the variable's word, from 0. Left as it is where the
/// variable is not set, or empty.
template <class Choice>
Status read_word(const char *variable, std::initializer_list<std::string_view> words, Choice &chosen) {
    const char *const text = std::getenv(variable);
    if (!text || !*text)
        return PIXMPI_SUCCESS;
    const auto *const found = std::find(words.begin(), words.end(), text);
    if (found != words.end()) {
        chosen = static_cast<Choice>(found - words.begin());
        return PIXMPI_SUCCESS;
    }
    std::string expected;
    for (const std::string_view &word : words)
        expected += (expected.empty() ? "" : &word == words.end() - 1 ? " or " : ", ") + std::string(word);
    return fail(PIXMPI_ERR_ARGUMENT, "%s: \"%s\", expected %s", variable, text, expected.c_str());
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
