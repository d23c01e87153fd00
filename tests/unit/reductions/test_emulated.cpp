// SPDX-License-Identifier: BSD-3-Clause
#include "unit/reductions/emulated_checks.hpp"

/// The reductions' kernels of warps on the host: real numbers.
namespace {

TEST(EmulatedReductions, OfFloat) {
  carroll::test::check_emulated_reductions<float>();
}
TEST(EmulatedReductions, OfDouble) {
  carroll::test::check_emulated_reductions<double>();
}

}  // namespace
