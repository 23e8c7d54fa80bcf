// SPDX-License-Identifier: MIT
/// @file
/// What the programs can be told: --name=value, the same names everywhere.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "support/engines.hpp"
#include "support/meters.hpp"
#include "support/record.hpp"

namespace bench {

struct Settings {
  double scale = 1;            ///< of the rows of every task
  int threads = 0;             ///< 0: the backend's default
  std::string engine = "cpu";  ///< a name of engines.hpp
  int reps = 5;                ///< warm repetitions, at most
  double budget = 10;          ///< seconds for them: no further one begins where it would not fit
  double limit = 0;            ///< seconds after which a case is ended and recorded as such; 0: none
  std::string raw;             ///< a file that takes one line of JSON a repetition
  Plant plant;                 ///< --plant=phase:percent, to test the tools
};

/// The value where `argument` is --name=value.
[[nodiscard]] inline bool value_of(std::string_view argument, std::string_view name, std::string& value) {
  if (!argument.starts_with("--") || !argument.substr(2).starts_with(name)) return false;
  const std::string_view rest = argument.substr(2 + name.size());
  if (!rest.starts_with("=")) return false;
  value = rest.substr(1);
  return true;
}

/// Takes one argument. False: it is not one of ours.
[[nodiscard]] inline bool take(std::string_view argument, Settings& settings) {
  std::string value;
  if (value_of(argument, "scale", value)) return settings.scale = std::stod(value), true;
  if (value_of(argument, "threads", value)) return settings.threads = std::stoi(value), true;
  if (value_of(argument, "engine", value)) return settings.engine = value, true;
  if (value_of(argument, "reps", value)) return settings.reps = std::stoi(value), true;
  if (value_of(argument, "budget", value)) return settings.budget = std::stod(value), true;
  if (value_of(argument, "limit", value)) return settings.limit = std::stod(value), true;
  if (value_of(argument, "raw", value)) return settings.raw = value, true;
  if (!value_of(argument, "plant", value)) return false;
  const std::size_t colon = value.find(':');
  settings.plant = {value.substr(0, colon), std::stod(value.substr(colon + 1))};
  return true;
}

/// Takes our arguments out of argv and leaves the others.
[[nodiscard]] inline Settings take_settings(int& argc, char** argv) {
  Settings settings;
  const auto end = std::remove_if(argv + 1, argv + argc, [&](char* argument) { return take(argument, settings); });
  argc = static_cast<int>(end - argv);
  return settings;
}

/// What every record begins with.
[[nodiscard]] inline Record describe(const Settings& settings, const Engine& engine) {
  Record record;
  record.add("backend", engine.backend).add("isa", engine.isa);
  record.add("threads", threads_used(engine, settings.threads)).add("scale", settings.scale);
  if (settings.plant.percent > 0) record.add("planted", settings.plant.phase);
  return record;
}

}  // namespace bench
