// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <string_view>

#include "command_line.hpp"
#include "scaling/operations.hpp"
#include "scaling/ranks/operations.hpp"

namespace carroll::tool {

namespace {

constexpr char const* scaling_footer =
    R"(Measures an operation over numbers of threads, of matrices and vectors of
random numbers of double precision, and tells what the laws of speed-up make of
it. OPERATION: svd (A = U S V, of n x n), det (n x n), pinv (n rows, six
motions, a depth for a hundred rows), sum, dot, norm2, add (n numbers), gemv (of
n x n), gemm (of n x n and n x n).

T_s is the time of the sequential algorithm: a textbook's loop where there is
one (all but pinv), or the operation by one thread where that is faster. Times
are medians, in three rounds through all numbers of threads. OMP_WAIT_POLICY
decides what a parallel region costs: this tool lets threads sleep unless it
says active.

Output with --json, one object: status, operation, size_is (what a size counts),
precision, backend, device, most_threads, repetitions, t_calc (seconds of an
addition), t_com (seconds from thread to thread), fork_join (threads, seconds of
an empty parallel region) and sizes, of which each has size, sequential_seconds
(T_s), loop_seconds (null: no loop), points (threads, seconds, absolute = T_s/
T_p, relative = T_1/T_p, efficiency, overhead = p T_p - T_s, karp_flatt, model:
for sum the seconds that collect, tree and exchange are foretold to take,
otherwise null), amdahl (serial_fraction a of a T + (1 - a) T/p, seconds T,
residual; null for one number of threads), amdahl_overhead (the same with T =
T_s and a constant overhead_seconds), scaled (with --scaled: points of threads,
size, seconds, one_thread_seconds, scaled_speedup = p T_s(N)/T_p(pN), where N is
the work, and gustafson: serial_fraction, residual; otherwise null).

Over ranks, with --ranks under mpirun: of sum, dot, norm2 and gemv, by the
first p of them. Then there are points of ranks instead of threads, with, for
sum, others (measured seconds of collect, tree and exchange); one_rank_seconds;
most_ranks; and instead of fork_join network: ping_pong and, for each number of
ranks, all_gather, with latency (seconds of a number) and bandwidth (bytes a
second of 4 MiB there, of 1 MiB from each rank here). t_com is the latency.

Exit status: 0 success, 2 unusable options, or fewer threads than asked for.

Examples:
  carroll scaling det --sizes 256,512,1024
  OMP_WAIT_POLICY=active carroll scaling sum --threads 1,2,4 --scaled --json
  mpirun -n 4 carroll scaling sum --ranks)";

/// The whole numbers from 1 to `most` that a list such as "1,2,4" consists of, ascending, once
/// each.
template <class Integer>
std::vector<Integer> list_in(std::string const& option, std::string const& text, Integer most) {
  std::vector<Integer> numbers;
  char const* at = text.data();
  char const* const end = text.data() + text.size();
  for (;;) {
    Integer number = 0;
    auto const [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number < 1 || number > most || (rest != end && *rest != ',')) {
      throw UsageError(option + ": '" + text + "' is no list of whole numbers from 1 to " +
                       std::to_string(most) + ", such as 1,2,4");
    }
    numbers.push_back(number);
    if (rest == end) break;
    at = rest + 1;
  }
  std::ranges::sort(numbers);
  auto const repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  return numbers;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (auto const& operation : operations()) names.emplace_back(operation.name);
  return names;
}

void add_scaling_options(CommandOptions& options, ScalingArguments& scaling) {
  options.operand("OPERATION", scaling.operation, "What to measure");
  options.text("--sizes", scaling.sizes_text, "N,N,...", "Sizes (default: the operation's own)");
  options.text("--threads", scaling.threads_text, "P,P,...",
               "Numbers of threads; 1 is always among them\n"
               "(default: powers of two, and all there are)");
  options.flag("--scaled", scaling.scaled,
               "Also with work that grows with the threads: for\n"
               "matrices the size with the cube root of them");
  options.flag("--ranks", scaling.ranks, "Over the ranks that mpirun has started");
  options.whole_number_from_one("--repetitions", scaling.repetitions, "N",
                                "Runs of which the median is taken (default: 9)");
  options.json(scaling.json);
}

void check_scaling_options(CommandOptions const& options, ScalingArguments& scaling) {
  auto const names = operation_names();
  if (std::ranges::find(names, scaling.operation) == names.end()) {
    std::string known;
    for (auto const& name : names) known += (known.empty() ? "" : ", ") + name;
    throw UsageError("OPERATION: '" + scaling.operation + "' is none of " + known);
  }
  if (scaling.ranks && options.given("--threads"))
    throw UsageError("--threads has no meaning with --ranks, which takes those of mpirun");
  auto const& over_ranks = rank_operation_names();
  if (scaling.ranks && std::ranges::find(over_ranks, scaling.operation) == over_ranks.end()) {
    std::string known;
    for (std::string const name : over_ranks) known += (known.empty() ? "" : ", ") + name;
    throw UsageError(known.empty() ? "--ranks needs a build with MPI"
                                   : "--ranks is for " + known + ", not for " + scaling.operation);
  }
  constexpr std::int64_t most_numbers = 1 << 30;
  constexpr int most = 4096;
  if (options.given("--sizes"))
    scaling.sizes = list_in("--sizes", scaling.sizes_text, most_numbers);
  if (options.given("--threads")) {
    scaling.threads = list_in("--threads", scaling.threads_text, most);
    if (scaling.threads.front() != 1) scaling.threads.insert(scaling.threads.begin(), 1);
  }
}

}  // namespace

CommandLine scaling_command_line() {
  return command_line(Command::scaling, "scaling", "OPERATION",
                      "Speed-up of an operation over threads and sizes", scaling_footer,
                      &Arguments::scaling, add_scaling_options, check_scaling_options);
}

}  // namespace carroll::tool
