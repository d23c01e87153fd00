// SPDX-License-Identifier: BSD-3-Clause
// What ranks do together: the bits of one rank, however the problem is shared out; and where one of
// them cannot go on, an error of all, after which they go on.
#include <array>
#include <string_view>

#include "hostile/ranks/rounds.hpp"

namespace carroll::test {

std::string_view const hostile_name = "ranks";
std::string_view const hostile_about =
    "Every solver over ranks, on random numbers of them, problems shared out at random: the same "
    "bits as on one rank; and ranks with other options, other lengths or an exception: an error on "
    "all, and no hang.";
std::string_view const hostile_kinds =
    "reductions,gemv,tall,randomized,determinant,arrow,batches,faults";

namespace {

struct Kind {
  std::string_view name;
  int share;
  void (*play)(Round&);
};
constexpr std::array kinds{Kind{"reductions", 3, reduction_round},
                           Kind{"gemv", 2, gemv_round},
                           Kind{"tall", 3, tall_round},
                           Kind{"randomized", 1, randomized_round},
                           Kind{"determinant", 3, determinant_round},
                           Kind{"arrow", 3, arrow_round},
                           Kind{"batches", 3, batch_round},
                           Kind{"faults", 3, fault_round}};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  int all = 0;
  for (auto const& one : kinds) all += one.share;
  int drawn = round.random.index(all);
  for (auto const& one : kinds) {
    if (kind.empty() ? drawn < one.share : kind == one.name) return one.play(round);
    drawn -= one.share;
  }
}

}  // namespace carroll::test
