// SPDX-License-Identifier: MIT
/// @file
/// planted --list              every bug and what it is, a line each
/// planted NAME                the program with that bug: what it ends with says whether anybody noticed
/// planted --sound             the sound twins of all
#include <cstring>

#include "cuda_cpu/planted/planted.hpp"

int main(int count, char** words) {
  const char* word = count == 2 ? words[1] : "";
  bool known = std::strcmp(word, "--list") == 0 || std::strcmp(word, "--sound") == 0;
  for (const auto bugs : {lloyd::planted::bugs_of_blocks(), lloyd::planted::bugs_of_warps(),
                          lloyd::planted::bugs_of_memory(), lloyd::planted::bugs_of_streams()})
    for (const lloyd::planted::Bug& bug : bugs) {
      if (std::strcmp(word, "--list") == 0) std::printf("%s\t%s\n", bug.name, bug.what);
      if (std::strcmp(word, "--sound") == 0) bug.run(false);
      if (std::strcmp(word, bug.name) == 0) {
        known = true;
        bug.run(true);
      }
    }
  if (known) return 0;
  std::printf("there is no such bug: %s\n", word);
  return 2;
}
