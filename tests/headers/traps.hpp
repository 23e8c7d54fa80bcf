// SPDX-License-Identifier: MIT
/// @file
/// Macros that system headers and careless programs define. A library's names must survive them.
#pragma once

#undef major
#undef minor
#define major(device) ((device) >> 8)
#define minor(device) ((device)&255)
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define B0 0
#define I _Complex_I
#define small char
#define CHECK(x) check_of_another_library(x)
#define ERROR 0
#define near
#define far
#define check(assertion)
#define verify(assertion)
#define require(assertion, label)
