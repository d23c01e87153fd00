// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <carroll/detail/reduction/launch.hpp>

#include "support/blas/emulated_reductions.hpp"

namespace carroll::test {

template <class T>
template <Reduction R>
std::vector<ReductionInfo<ReductionValue<R, T>>> EmulatedReductions<T>::run(Summation summation,
                                                                            bool conjugate) {
  using Value = ReductionValue<R, T>;
  auto const plan = detail::device_reduction_plan(length_);
  auto const pieces = static_cast<std::size_t>(members_ * plan.groups);
  partials_.assign(pieces * 8 * sizeof(RealOf<T>) / sizeof(double) + 1, -77.25);
  arrived_.resize(static_cast<std::size_t>(members_));
  digits_.resize(static_cast<std::size_t>(members_ * detail::exact_words<T>));
  std::vector<ReductionInfo<Value>> infos(static_cast<std::size_t>(members_));
  detail::ReductionBatch<T, Value> batch;
  batch.x = x_.data() + offset_;
  batch.y = y_.data() + offset_;
  batch.x_stride = batch.y_stride = stride_;
  batch.x_distance = batch.y_distance = distance_;
  batch.length = length_;
  batch.members = members_;
  batch.conjugate = conjugate;
  batch.infos = infos.data();
  stamp_ = 0;
  if (members_ == 1) {
    batch.stamp = &stamp_;
    batch.call = 12345;
  }
  detail::enqueue_reduction<R>(detail::EmulatedSpace{}, batch, plan,
                               {.partials = partials_.data(),
                                .arrived = arrived_.data(),
                                .digits = digits_.data(),
                                .infos = nullptr},
                               summation);
  tidy_ = stamp_ == batch.call;
  return infos;
}

#define CARROLL_EMULATED(R, T)                                                             \
  template std::vector<ReductionInfo<ReductionValue<R, T>>> EmulatedReductions<T>::run<R>( \
      Summation, bool)
#define CARROLL_ALL_EMULATED(T)          \
  CARROLL_EMULATED(Reduction::sum, T);   \
  CARROLL_EMULATED(Reduction::asum, T);  \
  CARROLL_EMULATED(Reduction::dot, T);   \
  CARROLL_EMULATED(Reduction::norm2, T); \
  CARROLL_EMULATED(Reduction::max_abs, T)

CARROLL_ALL_EMULATED(float);
CARROLL_ALL_EMULATED(double);
CARROLL_ALL_EMULATED(Kokkos::complex<float>);
CARROLL_ALL_EMULATED(Kokkos::complex<double>);

}  // namespace carroll::test
