// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/reduction/study/vector.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// What every strategy of a sum begins with (seeds/numerical-methods-course, section 2): of P
/// workers each adds up N/P consecutive numbers, the first N mod P of them one more. A worker is a
/// team: a thread of a host, which adds one number after the other; on a device a block.
///
/// N - P additions; N numbers read, P written.
template <class ExecSpace, class T>
class WorkerPartsKernel {
 public:
  WorkerPartsKernel(StudyVector<T> const& x, std::int64_t length, int workers, T* parts)
      : x_(x), each_(length / workers), more_(length % workers), parts_(parts) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const worker = team.league_rank();
    std::int64_t const first = worker * each_ + Kokkos::min(worker, more_);
    std::int64_t const count = each_ + (worker < more_ ? 1 : 0);
    T sum(0);
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, count),
        [&](std::int64_t i, T& part) { part += x_[first + i]; }, sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] { parts_[worker] = sum; });
  }

 private:
  StudyVector<T> x_;
  std::int64_t each_, more_;
  T* parts_;
};

}  // namespace carroll::detail
