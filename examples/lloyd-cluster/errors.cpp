// SPDX-License-Identifier: MIT
#include "errors.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace program {
namespace {

/// The options of the library whose names differ from those of the program by dashes alone, and the one that does not.
constexpr std::array<std::string_view, 14> options = {
    "n_clusters",     "n_init",         "max_iter",    "tol",
    "init_size",      "n_local_trials", "init_rounds", "oversampling_factor",
    "empty_clusters", "memory_budget",  "batch_rows",  "batch_centroids",
    "n_threads",      "check_finite"};

std::string option_name(std::string_view name) {
  if (name == "n_clusters") return "--n-clusters";
  if (name == "n_threads") return "--threads";
  std::string option = lloyd::detail::text("--", name);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

/// Replaces a name where it stands as a word of its own.
void replace_word(std::string& text, std::string_view name, const std::string& by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at != 0 && is_word(text[at - 1])) || (end != text.size() && is_word(text[end]))) continue;
    text.replace(at, name.size(), by);
    at += by.size() - 1;
  }
}

}  // namespace

std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view(",._-+/:").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) c == '\'' ? word.append("'\\''") : word.append(1, c);
  return word + "'";
}

std::string in_own_words(std::string message) {
  if (!message.starts_with("lloyd::")) return message;
  const bool of_options = !message.starts_with("lloyd::read") && !message.starts_with("lloyd::write");
  if (const auto colon = message.find(": "); colon != std::string::npos) message.erase(0, colon + 2);
  if (of_options)
    for (const std::string_view name : options) replace_word(message, name, option_name(name));
  const std::string_view header = "set header to yes";
  if (const auto at = message.find(header); at != std::string::npos) message.replace(at, header.size(), "--header yes");
  return message;
}

}  // namespace program
