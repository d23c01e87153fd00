// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/rank_error.hpp>
#include <cstdio>
#include <exception>
#include <string>

namespace carroll::distributed {

/// MPI, and Kokkos after it, for as long as it lives; neither may have been started. Kokkos takes
/// the devices of a machine by turns, by the rank's number there, which Open MPI, MPICH and Slurm
/// tell in the environment.
class ScopeGuard {
 public:
  ScopeGuard(int& argc, char**& argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    Kokkos::initialize(argc, argv);
  }
  ~ScopeGuard() {
    Kokkos::finalize();
    MPI_Finalize();
  }
  ScopeGuard(ScopeGuard const&) = delete;
  ScopeGuard& operator=(ScopeGuard const&) = delete;
};

/// Ends all ranks of MPI_COMM_WORLD with exit status 2, after a line on stderr: "NAME: MESSAGE".
/// For what one rank alone cannot get over, while others wait for it.
[[noreturn]] inline void abort_all(char const* name, std::string const& message) {
  std::fprintf(stderr, "%s: %s\n", name, message.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 2);
  std::terminate();
}

namespace detail {

/// An exception that has left a program's body: of one that all ranks know of one rank tells, and
/// all go on to their end; for any other one this rank ends them all.
inline int end_with(char const* name, char const* message) {
  if (agreed_failure < 0) abort_all(name, message);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == agreed_failure) std::fprintf(stderr, "%s: %s\n", name, message);
  return 2;
}

}  // namespace detail

/// `main` of a program over the ranks of MPI_COMM_WORLD: starts MPI and Kokkos, returns what
/// `body()` does, and ends all ranks with one line on stderr and status 2 if it throws on any of
/// them.
///
///   int main(int argc, char** argv) {
///     return carroll::distributed::run(argc, argv, "my_program", [&] { …; return 0; });
///   }
template <class Body>
int run(int argc, char** argv, char const* name, Body const& body) {
  ScopeGuard const guard(argc, argv);
  try {
    return body();
  } catch (std::exception const& error) {
    return detail::end_with(name, error.what());
  } catch (...) {
    return detail::end_with(name, "an unknown exception");
  }
}

}  // namespace carroll::distributed
