// SPDX-License-Identifier: MIT
// The probes: phases alone, what exactness costs, crossovers, scaling, the machine's limits.
//   lloyd-probe --list | --case=NAME [--scale=1] [--threads=0] [--engine=cpu] [--reps=5] [--budget=10] [--limit=0]
//               [--raw=FILE, else standard output]
#include <iostream>

#include "probes/probe.hpp"

namespace bench {
namespace {

std::vector<std::string> all_probes() {
  std::vector<std::string> names{"limits/machine"};
  for (const Task& task : all_tasks()) names.push_back("phases/" + std::string(task.name));
  for (const Task& task : all_tasks()) names.push_back("tiles/" + std::string(task.name));
  for (const Task& task : all_tasks()) names.push_back("exactness/" + std::string(task.name));
  std::vector<Index> features;
  for (const Task& task : all_tasks()) features.push_back(task.d);
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  for (const Index d : features) names.push_back("crossover/update/d:" + std::to_string(d));
  for (const char* k : {"12", "100", "1000"}) names.push_back(std::string("crossover/assign/k:") + k);
  for (const char* k : {"1", "3"}) names.push_back(std::string("crossover/lanes/k:") + k);
  for (const char* shape : {"d:2/k:8", "d:32/k:16", "d:256/k:64"})
    names.push_back(std::string("crossover/overtake/") + shape);
  for (const Task& task : all_tasks()) names.push_back("scaling/iterations/" + std::string(task.name));
  for (const char* axis : {"n", "k", "d", "threads"}) names.push_back(std::string("scaling/") + axis);
  return names;
}

int run(int argc, char** argv) {
  const Settings settings = take_settings(argc, argv);
  std::string name;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--list") {
      for (const std::string& one : all_probes())
        std::cout << Record().add("case", one).add("group", one).add("section", one.substr(0, one.find('/'))).line();
      return 0;
    }
    if (!value_of(argv[i], "case", name)) throw std::invalid_argument(std::string("unknown argument ") + argv[i]);
  }
  const auto known = all_probes();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw std::invalid_argument("--case=" + name + " is none of --list");
  Journal journal(settings.raw, &std::cout);
  Watchdog watchdog(settings.limit, journal);
  const int groups = name.starts_with("crossover/") ? 10 : name.starts_with("tiles/") ? 4 : 2;
  const Probe probe{settings, find_engine(settings.engine), journal, watchdog, groups};
  if (name.starts_with("phases/") || name.starts_with("tiles/")) probe_phases(probe, name);
  if (name.starts_with("crossover/")) probe_crossover(probe, name);
  if (name.starts_with("scaling/")) probe_scaling(probe, name);
  if (name.starts_with("exactness/")) probe_exactness(probe, name);
  if (name.starts_with("limits/")) probe_limits(probe, name);
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "lloyd-probe: " << error.what() << '\n';
    return 1;
  }
}
