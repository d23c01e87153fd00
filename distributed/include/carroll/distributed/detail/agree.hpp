// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <carroll/distributed/rank_error.hpp>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

namespace carroll::distributed::detail {

/// Communicator::agree for any MPI_Comm, without Kokkos.
template <class Check>
void agree(MPI_Comm comm, char const* function, std::uint64_t signature, Check const& check) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size == 1) return check();
  std::exception_ptr error;
  std::string cause;
  try {
    check();
  } catch (std::exception const& exception) {
    error = std::current_exception();
    cause = exception.what();
  } catch (...) {
    error = std::current_exception();
    cause = "an unknown exception";
  }
  std::uint64_t vote[3] = {static_cast<std::uint64_t>(error ? rank : size), signature, ~signature};
  MPI_Allreduce(MPI_IN_PLACE, vote, 3, MPI_UINT64_T, MPI_MIN, comm);
  if (int const first = static_cast<int>(vote[0]); first < size) {
    int length = static_cast<int>(cause.size());
    MPI_Bcast(&length, 1, MPI_INT, first, comm);
    cause.resize(static_cast<std::size_t>(length));
    MPI_Bcast(cause.data(), length, MPI_CHAR, first, comm);
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

}  // namespace carroll::distributed::detail
