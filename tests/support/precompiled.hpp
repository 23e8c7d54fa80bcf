// SPDX-License-Identifier: MIT
// What nearly every test reads first, parsed once (CMake's target_precompile_headers).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/instances.hpp"
