// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

/// Waiting for other ranks asleep, and no longer than is reasonable.
namespace carroll::distributed::detail {

using Seconds = std::chrono::duration<double>;

/// Waits for a request without taking a processor from those that are still at work; false where it
/// takes longer than `most`.
inline bool wait_asleep(MPI_Request& request, Seconds most = Seconds::max()) {
  using Clock = std::chrono::steady_clock;
  auto const start = Clock::now();
  constexpr std::chrono::microseconds longest(1000);
  std::chrono::microseconds pause(0);
  for (int here = 0;;) {
    MPI_Test(&request, &here, MPI_STATUS_IGNORE);
    if (here) return true;
    if (Clock::now() - start > most) return false;
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
    pause = std::min(longest, 2 * pause + std::chrono::microseconds(1));
  }
}

/// A duplicate of MPI_COMM_WORLD, with which all ranks exchange their first messages: these may
/// take 60 s. Open MPI 4.1 lets ranks wait for ever where one of them cannot map the memory that
/// they share, for want of memory. std::runtime_error then, on the first rank before the others.
inline MPI_Comm first_meeting() {
  constexpr Seconds longest(60);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!wait_asleep(request, longest + Seconds(rank > 0 ? 5 : 0)))
    throw std::runtime_error("the ranks cannot reach each other: no message has arrived for " +
                             std::to_string(int(longest.count())) +
                             " s since MPI has started; has one of them too little memory?");
  return comm;
}

}  // namespace carroll::distributed::detail
