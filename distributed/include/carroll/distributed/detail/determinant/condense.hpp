// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/distributed/detail/determinant/message.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>

/// Condensation over ranks. A pivot is the largest entry of its row, so that the rows of a step are
/// condensed by their owner alone; one broadcast tells the others all they need, and each takes the
/// step off its own rows.
///
/// Before the owner of the next step does so with most of its rows, it condenses that step, and
/// sends it on its way, so that nobody waits for it who has rows left to work on.
///
/// 2n³/(3p) flops on each of p ranks, and the condensation of n²/p entries by itself; n²/2 entries
/// are sent to everybody in n/unit broadcasts.
namespace carroll::distributed::detail {

/// The state behind the last step, to all ranks. `Steps`: host_blocks.hpp, panel/steps.hpp or
/// outer_block/steps.hpp, `Channel`: message.hpp.
template <class Steps, class Channel, class State>
State condense_over_ranks(Channel channel, Steps& steps, State const& initial) {
  steps.start(initial);
  channel.send_beside(steps.message(0), steps.owner(0), [](auto const&) {});
  for (int step = 0;; ++step) {
    int const next = step + 1;
    if (steps.done(step) || next == steps.steps()) return steps.finish(step);
    LocalRange const rest = steps.advance(step);
    channel.send_beside(steps.message(next), steps.owner(next),
                        [&](auto const& poll) { steps.take_off(step, rest, poll); });
  }
}

}  // namespace carroll::distributed::detail
