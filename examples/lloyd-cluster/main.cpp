// SPDX-License-Identifier: MIT
// lloyd-cluster: clusters the rows of a table, says which cluster other rows belong to, compares numbers of clusters,
// and reduces pictures to few colours. START HERE: fit.cpp, then engine.hpp, where the library is called.
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <variant>

#include "arguments.hpp"
#include "commands.hpp"
#include "errors.hpp"
#include "interrupt.hpp"

namespace {

/// One line, whatever the message holds.
int fail(std::string message, int status) {
  std::replace_if(
      message.begin(), message.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::cerr << "lloyd-cluster: " << message << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto command = program::parse(argc, argv);
    program::install_interrupts();
    if (command) std::visit([](const auto& arguments) { program::run(arguments); }, *command);
    return 0;
  } catch (const program::Interrupted& stop) {
    return fail(stop.what(), 128 + stop.signal());
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory", 1);
  } catch (const std::exception& error) {
    return fail(program::in_own_words(error.what()), 1);
  }
}
