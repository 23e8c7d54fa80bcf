// SPDX-License-Identifier: MIT
// The subcommands. Each prints its result and throws what went wrong.
#pragma once

#include "arguments.hpp"

namespace program {

void run(const FitArguments& arguments);
void run(const PredictArguments& arguments);
void run(const SweepArguments& arguments);
void run(const QuantizeArguments& arguments);

}  // namespace program
