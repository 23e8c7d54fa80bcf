# SPDX-License-Identifier: MIT
# LLOYD_SANITIZE is a comma-separated list for -fsanitize=, set by the presets asan, ubsan, tsan and fuzz.
set(LLOYD_SANITIZE "" CACHE STRING "Sanitizers for lloyd's own tests and examples, such as address,undefined")

function(lloyd_sanitize target)
  if(LLOYD_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LLOYD_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${LLOYD_SANITIZE})
  endif()
endfunction()
