// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/ranks/operations.hpp"

#include <carroll/distributed/blas/dot.hpp>
#include <carroll/distributed/blas/gemv.hpp>
#include <carroll/distributed/blas/norm2.hpp>
#include <carroll/distributed/blas/reduction_study.hpp>
#include <carroll/distributed/blas/sum.hpp>
#include <carroll/scaling/summation.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "scaling/loops.hpp"
#include "scaling/prepare.hpp"
#include "scaling/ranks/teams.hpp"

namespace carroll::tool {

namespace {

using Numbers = std::shared_ptr<HostMatrix<double> const>;
using Part = std::pair<std::int64_t, std::int64_t>;

Numbers random_column(std::int64_t n) {
  return std::make_shared<HostMatrix<double> const>(random_matrix(n, 1));
}

/// All numbers, on every rank: each takes its part of them, whatever the number of ranks.
DeviceMatrix<double> numbers_on_device(HostMatrix<double> const& A) {
  ExecSpace const exec;
  auto const device = to_device(exec, "carroll::tool::A", A);
  exec.fence("carroll::tool: matrix on the device");
  return device;
}

/// What each number of ranks needs, made when it is first asked for, by all of these ranks.
template <class Make>
auto for_each_team(Teams teams, Make make) {
  using Entry = decltype(make(teams->front()));
  auto const entries = std::make_shared<std::map<int, Entry>>();
  return [=](int p) -> Entry& {
    auto found = entries->find(p);
    if (found == entries->end()) found = entries->emplace(p, make(team(teams, p))).first;
    return found->second;
  };
}

/// Runs `solve(team, its entry)` on the first p ranks.
template <class Entries, class Solve>
std::function<void(int)> by_teams(Teams const& teams, Entries entries, Solve solve) {
  return [=](int p) {
    if (is_in(teams, p)) solve(team(teams, p), entries(p));
  };
}

/// Of a vector this rank's part and a workspace.
struct Share {
  Part part;
  distributed::ReductionWorkspace<ExecSpace, double> workspace;
};
auto shares_of(Teams const& teams, std::int64_t n) {
  return for_each_team(teams, [n](Team const& comm) {
    auto const layout = distributed::reduction_layout(comm.size(), n);
    return Share{{layout.begin(comm.rank()), layout.end(comm.rank())},
                 distributed::reduction_workspace<double>(comm, layout)};
  });
}

/// One reduction, and its textbook's loop.
template <class Reduce>
PreparedOperation reduction_over(Ranks const& ranks, Teams const& teams, Numbers const& numbers,
                                 Reduce const& reduce, std::function<void()> loop) {
  auto const x = numbers_on_device(*numbers);
  auto const solve = [=](Team const& comm, Share& share) {
    auto const mine = Kokkos::subview(x, share.part, 0);
    require_success(reduce(comm, mine, share.workspace).status);
  };
  PreparedOperation prepared = meeting(ranks, teams, std::move(loop));
  prepared.run = by_teams(teams, shares_of(teams, numbers->rows), solve);
  return prepared;
}

/// The course's ways to add, beside the canonical one.
void add_strategies(Teams const& teams, Numbers const& numbers, PreparedOperation& prepared) {
  auto const x = numbers_on_device(*numbers);
  std::int64_t const n = numbers->rows;
  struct Local {
    Part part;
    carroll::ReductionWorkspace<ExecSpace, double> workspace;
  };
  auto const locals = for_each_team(teams, [n](Team const& comm) {
    auto const layout = distributed::block_layout(comm.size(), n);
    return Local{
        {layout.begin(comm.rank()), layout.end(comm.rank())},
        carroll::reduction_workspace<double>(comm.exec(), {.length = layout.count(comm.rank())})};
  });
  std::pair<SummationStrategy, SumStrategy> const all[] = {
      {SummationStrategy::collect, SumStrategy::one_collects},
      {SummationStrategy::tree, SumStrategy::tree},
      {SummationStrategy::exchange, SumStrategy::tree_to_all}};
  for (auto const& [name, strategy] : all) {
    auto const solve = [x, strategy = strategy](Team const& comm, Local& local) {
      static_cast<void>(
          distributed::sum_by(comm, Kokkos::subview(x, local.part, 0), strategy, local.workspace));
    };
    prepared.others.push_back({std::string(to_string(name)), by_teams(teams, locals, solve)});
  }
}

PreparedOperation sum_over(Ranks const& ranks, Teams const& teams, std::int64_t n) {
  Numbers const numbers = random_column(n);
  auto const reduce = [](Team const& comm, auto const& x, auto& workspace) {
    return distributed::sum(comm, x, workspace);
  };
  auto prepared = reduction_over(ranks, teams, numbers, reduce,
                                 [numbers] { keep(sum_by_loop(numbers->values)); });
  add_strategies(teams, numbers, prepared);
  return prepared;
}

PreparedOperation dot_over(Ranks const& ranks, Teams const& teams, std::int64_t n) {
  Numbers const numbers = random_column(n);
  auto const reduce = [](Team const& comm, auto const& x, auto& workspace) {
    return distributed::dot(comm, x, x, workspace);
  };
  return reduction_over(ranks, teams, numbers, reduce,
                        [numbers] { keep(dot_by_loop(numbers->values, numbers->values)); });
}

PreparedOperation norm2_over(Ranks const& ranks, Teams const& teams, std::int64_t n) {
  Numbers const numbers = random_column(n);
  auto const reduce = [](Team const& comm, auto const& x, auto& workspace) {
    return distributed::norm2(comm, x, workspace);
  };
  return reduction_over(ranks, teams, numbers, reduce, [numbers] {
    keep(std::sqrt(dot_by_loop(numbers->values, numbers->values)));
  });
}

/// By rows.
PreparedOperation gemv_over(Ranks const& ranks, Teams const& teams, std::int64_t n) {
  Numbers const numbers = random_column(n);
  auto const matrix = std::make_shared<HostMatrix<double> const>(random_matrix(n, n));
  auto const A = numbers_on_device(*matrix), x = numbers_on_device(*numbers),
             y = numbers_on_device(*numbers);
  struct Rows {
    Part part;
    distributed::Grid<ExecSpace> grid;
    distributed::GemvWorkspace<ExecSpace, double> workspace;
  };
  auto const rows = for_each_team(teams, [n](Team const& comm) {
    distributed::GridLayout const layout{distributed::block_layout(comm.size(), n),
                                         distributed::block_layout(1, n)};
    distributed::Grid<ExecSpace> const grid(comm, comm.size(), 1);
    return Rows{{layout.rows.begin(comm.rank()), layout.rows.end(comm.rank())},
                grid,
                distributed::gemv_workspace<double>(grid, layout)};
  });
  auto const solve = [=](Team const&, Rows& mine) {
    distributed::gemv(mine.grid, 1.0, Kokkos::subview(A, mine.part, Kokkos::ALL),
                      Kokkos::subview(x, Kokkos::ALL, 0), 0.0, Kokkos::subview(y, mine.part, 0),
                      mine.workspace);
  };
  auto const product = std::make_shared<HostMatrix<double>>(*numbers);
  PreparedOperation prepared = meeting(
      ranks, teams, [matrix, numbers, product] { multiply_by_loop(*matrix, *numbers, *product); });
  prepared.run = by_teams(teams, rows, solve);
  return prepared;
}

using Prepare = PreparedOperation (*)(Ranks const&, Teams const&, std::int64_t);

struct RankOperation {
  char const* name;
  Prepare prepare;
};

/// One more takes a line here, and one in `operations` of threads, which knows its sizes.
constexpr RankOperation rank_table[] = {
    {"sum", sum_over}, {"dot", dot_over}, {"norm2", norm2_over}, {"gemv", gemv_over}};

}  // namespace

std::vector<char const*> const& rank_operation_names() {
  static std::vector<char const*> const names = [] {
    std::vector<char const*> all;
    for (auto const& operation : rank_table) all.push_back(operation.name);
    return all;
  }();
  return names;
}

std::vector<Operation> rank_operations(Ranks const& ranks) {
  auto const teams = make_teams(ranks.size());
  std::vector<Operation> all;
  for (auto const& [name, prepare] : rank_table) {
    for (Operation operation : operations()) {
      if (std::string(operation.name) != name) continue;
      operation.prepare = [&ranks, teams, prepare = prepare](std::int64_t n) {
        return prepare(ranks, teams, n);
      };
      all.push_back(std::move(operation));
    }
  }
  return all;
}

}  // namespace carroll::tool
