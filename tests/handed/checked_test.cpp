// SPDX-License-Identifier: MIT
// The fits that all files of this folder share. What checks them is tested in support/verify_test.cpp.
#include "handed/suite.hpp"

namespace lloyd::test {

LLOYD_TEST_FITS(template, Reference, float);
LLOYD_TEST_FITS(template, Reference, double);
LLOYD_TEST_FITS(template, Cpu, float);
LLOYD_TEST_FITS(template, Cpu, double);

}  // namespace lloyd::test
