// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <carroll/distributed/rank_error.hpp>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

/// How a program over ranks ends that cannot go on, without Kokkos. Nothing here allocates: that
/// there is no memory may be what is told.
namespace carroll::distributed {
namespace detail {

/// "NAME: MESSAGE" in one line and one piece, so that no other rank's text comes between; what is
/// longer than a pipe takes at once is cut.
inline void tell(std::string_view name, std::string_view message) {
  char line[PIPE_BUF];
  std::size_t length = 0;
  for (auto const text : {name, std::string_view(": "), message})
    for (char const c : text)
      if (length + 1 < sizeof line) line[length++] = c == '\n' || c == '\r' ? ' ' : c;
  line[length++] = '\n';
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, line, length);
}

}  // namespace detail

/// Ends all ranks of MPI_COMM_WORLD with exit status 2, after a line on stderr: "NAME: MESSAGE".
/// For what one rank alone cannot get over, while others wait for it.
[[noreturn]] inline void abort_all(std::string_view name, std::string_view message) {
  detail::tell(name, message);
  int begun = 0, finalized = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&finalized);
  if (begun && !finalized) MPI_Abort(MPI_COMM_WORLD, 2);
  std::_Exit(2);
}

namespace detail {

/// An exception that has left a program's body: of one that all ranks know of one rank tells, and
/// all end, after MPI; for any other one this rank ends them all. Kokkos is not ended: 5.2 frees
/// twice what it could not replace for want of memory.
[[noreturn]] inline void end_with(char const* name, std::string_view message) {
  if (agreed_failure < 0) abort_all(name, message);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == agreed_failure) tell(name, message);
  MPI_Finalize();
  std::fflush(nullptr);
  std::_Exit(2);
}

/// The name of the program that is told where it ends by a TerminateGuard.
inline char const*& program_name() {
  static char const* name = "";
  return name;
}

[[noreturn]] inline void end_at_terminate(std::exception const* error) {
  abort_all(program_name(), error ? error->what() : "an exception where none may be thrown");
}

}  // namespace detail
}  // namespace carroll::distributed
