// SPDX-License-Identifier: MIT
/// @file
/// The version, written once: CMake reads it from here.
#pragma once

#define LLOYD_VERSION_MAJOR 0
#define LLOYD_VERSION_MINOR 1
#define LLOYD_VERSION_PATCH 0
