// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <carroll/detail/terminate.hpp>
#include <carroll/distributed/detail/end.hpp>
#include <carroll/distributed/detail/meet.hpp>
#include <exception>
#include <optional>

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

/// `main` of a program over the ranks of MPI_COMM_WORLD: starts MPI and Kokkos, returns what
/// `body()` does, and ends all ranks with one line on stderr and status 2 if it throws on any of
/// them: without destructors of static objects. So it does where ranks cannot reach each other, and
/// for an exception where none may be thrown, as in a destructor or a kernel.
///
///   int main(int argc, char** argv) {
///     return carroll::distributed::run(argc, argv, "my_program", [&] { …; return 0; });
///   }
template <class Body>
int run(int argc, char** argv, char const* name, Body const& body) {
  detail::program_name() = name;
  carroll::detail::TerminateGuard const terminate(detail::end_at_terminate);
  std::optional<ScopeGuard> guard;  // lives while an exception is told of
  try {
    guard.emplace(argc, argv);
    MPI_Comm comm = detail::first_meeting();
    MPI_Comm_free(&comm);
    return body();
  } catch (std::exception const& error) {
    detail::end_with(name, error.what());
  } catch (...) {
    detail::end_with(name, "an unknown exception");
  }
}

}  // namespace carroll::distributed
