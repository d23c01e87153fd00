// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hostile/round.hpp"

/// What ranks do together, a kind of it each: `--kind`.
namespace carroll::test {

void reduction_round(Round& round);
void gemv_round(Round& round);
void tall_round(Round& round);
void randomized_round(Round& round);
void determinant_round(Round& round);
void arrow_round(Round& round);
void batch_round(Round& round);
/// Some ranks have something wrong with them: all throw, or the result is right.
void fault_round(Round& round);

}  // namespace carroll::test
