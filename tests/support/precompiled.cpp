// SPDX-License-Identifier: MIT
// A target needs a source to precompile a header for.
#include "support/precompiled.hpp"
