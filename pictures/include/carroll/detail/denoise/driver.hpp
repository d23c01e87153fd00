// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/denoise/types.hpp>
#include <carroll/detail/denoise/bind.hpp>
#include <carroll/detail/denoise/memory.hpp>
#include <carroll/detail/denoise/planes.hpp>
#include <cmath>
#include <cstdint>

namespace carroll::detail {

/// One call of `denoise`, bound and checked.
template <class ExecSpace, class From, class To>
class DenoiseCall {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

 public:
  DenoiseCall(ExecSpace const& exec, BoundPlanes<From, To> const& bound,
              StackProblem const& problem, StackMemory<ExecSpace> const& memory,
              DenoiseOptions const& options)
      : exec_(exec),
        bound_(bound),
        problem_(problem),
        memory_(memory),
        options_(options),
        transform_(std::max(bound.planes, 1)) {}

  /// Without a fence; *info comes with the result.
  template <class Progress>
  void enqueue(DenoiseInfo* info, Progress const& progress) {
    bool const empty = bound_.samples() == 0;
    if (!empty) {
      find_state(exec_, bound_, options_.noise, std::sqrt(static_cast<double>(bound_.planes)),
                 memory_.state);
      load();
      problem_.noise = &memory_.state->noise;
      int const iterations = options_.noise > 0 ? options_.iterations : 0;
      for (int i = 0; i < iterations; ++i) {
        iterate(i);
        progress(i + 1, iterations);
      }
      Kokkos::parallel_for("carroll::denoise::store", Range(exec_, 0, bound_.pixels()),
                           StorePlanes<To>{bound_.to, problem_.layout, numbers(), transform_,
                                           memory_.state, memory_.current});
    }
    write_info(exec_, empty ? nullptr : memory_.state, options_.iterations, info);
  }

 private:
  [[nodiscard]] std::int64_t numbers() const { return problem_.layout.numbers(); }

  void load() {
    set_to_zero(exec_, memory_.noisy, memory_.planes_numbers);
    set_to_zero(exec_, memory_.current, memory_.planes_numbers);
    Kokkos::parallel_for("carroll::denoise::load", Range(exec_, 0, bound_.pixels()),
                         LoadPlanes<From>{bound_.from, problem_.layout, numbers(), transform_,
                                          memory_.state, memory_.noisy, memory_.current});
  }

  void iterate(int iteration) {
    if (iteration > 0)
      Kokkos::parallel_for(
          "carroll::denoise::feed_back", Range(exec_, 0, bound_.planes * numbers()),
          FeedBack{memory_.noisy, memory_.current, static_cast<float>(options_.feedback)});
    if (iteration % options_.searched_every == 0) {
      int const fewer = options_.fewer * (iteration / options_.searched_every);
      problem_.members = std::max(problem_.stride - fewer, (problem_.stride + 3) / 4);
      problem_.current = memory_.current;
      memory_.match(exec_, problem_);
    }
    problem_.residual = iteration > 0 ? static_cast<float>(options_.residual) : 0.0F;
    for (int plane = 0; plane < bound_.planes; ++plane) {
      StackProblem one = problem_;
      one.noisy = memory_.noisy + plane * numbers();
      one.current = memory_.current + plane * numbers();
      memory_.add_up(exec_, one);
      Kokkos::parallel_for("carroll::denoise::mean", Range(exec_, 0, bound_.pixels()),
                           MeanOfEstimates{problem_.layout, problem_.patch, memory_.sums,
                                           memory_.hits, memory_.current + plane * numbers()});
    }
  }

  ExecSpace exec_;
  BoundPlanes<From, To> bound_;
  StackProblem problem_;
  StackMemory<ExecSpace> memory_;
  DenoiseOptions options_;
  PlaneTransform transform_;
};

}  // namespace carroll::detail
