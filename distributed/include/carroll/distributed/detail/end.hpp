// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <carroll/distributed/rank_error.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

/// How a program over ranks ends that cannot go on, without Kokkos.
namespace carroll::distributed {
namespace detail {

/// "NAME: MESSAGE" in one line and one piece, so that no other rank's text comes between.
inline void tell(char const* name, std::string message) {
  for (char& c : message)
    if (c == '\n' || c == '\r') c = ' ';
  std::string const line = std::string(name) + ": " + message + "\n";
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace detail

/// Ends all ranks of MPI_COMM_WORLD with exit status 2, after a line on stderr: "NAME: MESSAGE".
/// For what one rank alone cannot get over, while others wait for it.
[[noreturn]] inline void abort_all(char const* name, std::string const& message) {
  detail::tell(name, message);
  MPI_Abort(MPI_COMM_WORLD, 2);
  std::terminate();
}

namespace detail {

/// An exception that has left a program's body: of one that all ranks know of one rank tells, and
/// all end, after MPI; for any other one this rank ends them all. Kokkos is not ended: 5.2 frees
/// twice what it could not replace for want of memory.
[[noreturn]] inline void end_with(char const* name, std::string const& message) {
  if (agreed_failure < 0) abort_all(name, message);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == agreed_failure) tell(name, message);
  MPI_Finalize();
  std::fflush(nullptr);
  std::_Exit(2);
}

}  // namespace detail
}  // namespace carroll::distributed
