// SPDX-License-Identifier: MIT
/// @file
/// The version, written once: CMake reads it from here, and so does the namespace that everything is in.
#pragma once

// Every header reaches this one before it says anything that needs C++20. The include that no compiler finds ends the
// unit there: a few thousand errors would hide the one that helps.
#if __cplusplus <= 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG > 201703L)
#error "lloyd needs C++20: compile with -std=c++20"
#include <a compiler of C++20>
#endif

#define LLOYD_VERSION_MAJOR 0  ///< x of the version x.y.z
#define LLOYD_VERSION_MINOR 1  ///< y; before the first stable version another y may be another interface
#define LLOYD_VERSION_PATCH 0  ///< z

// Every header opens `namespace lloyd::inline LLOYD_ABI`. Users write lloyd::KMeans as before; the linker sees
// lloyd::v0_1_0::KMeans, so that two versions in one program never stand in for each other
// (docs/decisions/0019-versions-in-the-names.md).
/// @cond
#define LLOYD_ABI_JOIN(major, minor, patch) v##major##_##minor##_##patch
#define LLOYD_ABI_NAME(major, minor, patch) LLOYD_ABI_JOIN(major, minor, patch)
/// @endcond
/// The inline namespace of this version: v0_1_0.
#define LLOYD_ABI LLOYD_ABI_NAME(LLOYD_VERSION_MAJOR, LLOYD_VERSION_MINOR, LLOYD_VERSION_PATCH)

/// Exact k-means clustering.
namespace lloyd {
/// All of it, in this version.
inline namespace LLOYD_ABI {}
}  // namespace lloyd
