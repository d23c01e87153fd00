// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hostile/round.hpp"

/// What --fault does to results, for a tester to find.
namespace carroll::test {

/// Each returns whether it changed anything; all know the numbers of one output of a solver.
template <class Value>
bool flip_least_bit(std::vector<Value>& output) {
  if (output.empty()) return false;
  *reinterpret_cast<unsigned char*>(output.data()) ^= 1U;
  return true;
}
template <class Value>
bool swap_ends(std::vector<Value>& output) {
  if (output.empty() || !(output.front() != output.back())) return false;
  std::swap(output.front(), output.back());
  return true;
}
/// By a thousandth.
template <class Value>
bool enlarge(std::vector<Value>& output) {
  if (output.empty()) return false;
  Value const before = output.front();
  output.front() += before / Value(1024);
  return output.front() != before;
}

/// Spoils results of the round's pass number `pass`, from 1. A bit is wrong in the last member of
/// one pass, which other passes have right; whatever else is wrong is so in all of them, for the
/// judge to find. `member` is one that is compared, the last one by default. `outputs_of(result,
/// f)` calls f with each array of numbers: rounds take turns with them, and one that cannot be
/// changed leaves it to the next.
template <class Result>
void spoil(Round& round, int pass, std::vector<Result>& results, std::size_t member) {
  if (round.fault == Fault::none || results.empty()) return;
  auto const turn = static_cast<int>(round.number() % 6);
  bool changed = false;
  auto const change_one = [&](Result& result, auto const& change) {
    std::int64_t arrays = 0;
    outputs_of(result, [&](auto&) { ++arrays; });
    bool done = false;
    for (std::int64_t k = 0; k < arrays && !done; ++k) {
      std::int64_t number = 0;
      std::int64_t const wanted = (round.number() / 6 + k) % arrays;
      outputs_of(result, [&](auto& output) {
        if (number++ == wanted) done = change(output);
      });
    }
    changed = changed || done;
  };
  if (round.fault == Fault::bit) {
    if (pass == 1 + turn)
      change_one(results[member], [](auto& output) { return flip_least_bit(output); });
  } else {
    for (Result& result : results) {
      if (result.info.status != Status::success) continue;
      if (round.fault == Fault::status) {
        result.info.status = Status::not_converged;
        changed = true;
      } else if (round.fault == Fault::swap) {
        change_one(result, [](auto& output) { return swap_ends(output); });
      } else {
        change_one(result, [](auto& output) { return enlarge(output); });
      }
    }
  }
  if (changed) round.was_spoiled();
}
template <class Result>
void spoil(Round& round, int pass, std::vector<Result>& results) {
  spoil(round, pass, results, results.empty() ? 0 : results.size() - 1);
}

}  // namespace carroll::test
