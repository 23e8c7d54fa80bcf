// SPDX-License-Identifier: MIT
#include "python.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <system_error>

#include "errors.hpp"
#include "interrupt.hpp"
#include "scratch.hpp"

namespace program {
namespace {

/// A file, since unlike a pipe it never makes one process wait for the other.
ScratchFile scratch(const std::string& content) {
  auto file = scratch_file();
  append(file, content);
  std::rewind(file.get());
  return file;
}

std::string content_of(const ScratchFile& file) {
  std::string content;
  std::array<char, 4096> block;
  std::rewind(file.get());
  for (std::size_t found; (found = std::fread(block.data(), 1, block.size(), file.get())) != 0;)
    content.append(block.data(), found);
  return content;
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);  // npos + 1 is 0
}

}  // namespace

std::string run_python(const std::string& python, const char* script, const std::vector<std::string>& arguments,
                       const std::string& input) {
  const ScratchFile in = scratch(input), out = scratch(""), complaints = scratch("");
  std::vector<std::string> words = {python, "-c", script};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints.get()), STDERR_FILENO);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    refuse("\"", python, "\" cannot be run: ", std::generic_category().message(failure),
           " (--python names a Python 3 that has matplotlib)");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    if (interrupted() != 0) throw Interrupted("cancelled; nothing was written", interrupted());
    const std::string complaint = last_line(content_of(complaints));
    refuse(complaint.empty() ? "\"" + python + "\" failed" : complaint);
  }
  return content_of(out);
}

}  // namespace program
