# SPDX-License-Identifier: MIT
# The warnings our own targets are built with. Never exported: a user's flags are the user's.
function(lloyd_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)
endfunction()
