// SPDX-License-Identifier: MIT
// A script of this program's own, run by the Python that the user has.
#pragma once

#include <string>
#include <vector>

namespace program {

/// Runs `python -c script arguments...` with a text as its standard input.
/// @return what it wrote
/// @throws std::runtime_error with the last line of its complaint, or that there is no such Python
std::string run_python(const std::string& python, const char* script, const std::vector<std::string>& arguments,
                       const std::string& input);

/// The text of plot_sweep.py.
extern const char* const plot_sweep_script;

}  // namespace program
