// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <carroll/distributed/rank_error.hpp>
#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

namespace carroll::distributed::detail {

/// Communicator::agree for any MPI_Comm, without Kokkos. Nothing is allocated between messages, so
/// that a rank which has failed for want of memory keeps nobody waiting. Compiled once for all
/// checks: `check` is called with `checked`.
inline void agree(MPI_Comm comm, char const* function, std::uint64_t signature,
                  void (*check)(void const*), void const* checked) {
  agreed_failure = -1;  // an earlier one has been caught
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size == 1) return check(checked);
  std::exception_ptr error;
  char cause[4096] = {};
  try {
    check(checked);
  } catch (std::exception const& exception) {
    error = std::current_exception();
    std::strncpy(cause, exception.what(), sizeof cause - 1);
  } catch (...) {
    error = std::current_exception();
    std::strncpy(cause, "an unknown exception", sizeof cause - 1);
  }
  std::uint64_t vote[3] = {static_cast<std::uint64_t>(error ? rank : size), signature, ~signature};
  MPI_Allreduce(MPI_IN_PLACE, vote, 3, MPI_UINT64_T, MPI_MIN, comm);
  if (int const first = static_cast<int>(vote[0]); first < size) {
    MPI_Bcast(cause, int{sizeof cause}, MPI_CHAR, first, comm);
    agreed_failure = first;
    if (error) std::rethrow_exception(error);
    throw RankError(function, first, cause);
  }
  if (vote[1] != ~vote[2]) {
    agreed_failure = 0;
    throw std::invalid_argument(std::string(function) +
                                ": the ranks give different options or extents; they must be "
                                "the same on all of them");
  }
}
template <class Check>
void agree(MPI_Comm comm, char const* function, std::uint64_t signature, Check const& check) {
  agree(
      comm, function, signature,
      [](void const* checked) { (*static_cast<Check const*>(checked))(); }, &check);
}

}  // namespace carroll::distributed::detail
