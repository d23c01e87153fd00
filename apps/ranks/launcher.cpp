// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/launcher.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace carroll::tool {

namespace {

/// Where a launcher tells the rank and the number of ranks.
struct Names {
  char const* rank;
  char const* size;
};

/// In a script of Slurm's that srun has not started SLURM_PROCID is there, too, but no step.
constexpr std::array launchers{
    Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Names{"PMI_RANK", "PMI_SIZE"},
    Names{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}, Names{"PMIX_RANK", nullptr}};

std::optional<int> number_in(char const* name) {
  char const* const text = name != nullptr ? std::getenv(name) : nullptr;
  if (text == nullptr) return std::nullopt;
  std::string_view const word = text;
  int value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Launched> launched() {
  for (auto const& names : launchers) {
    auto const rank = number_in(names.rank);
    auto const size = number_in(names.size);
    if (rank && (size || names.size == nullptr)) return Launched{*rank, size.value_or(0)};
  }
  return std::nullopt;
}

}  // namespace carroll::tool
