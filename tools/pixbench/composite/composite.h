// The parts of the mode composite.
#pragma once

#include "composite/composite_target.h"
#include "modes.h"

/// --overlap: frames of a program with drawing that takes as long as composing. Collective; a row of the report.
void measure_overlap(const CompositeCase &what, const Job &job, const Settings &settings, Report &report);

/// Of --strategy.
pixMPI_Strategy strategy_named(const std::string &name);
