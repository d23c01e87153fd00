// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/recommend/order.hpp>
#include <carroll/detail/recommend/problem.hpp>
#include <carroll/detail/recommend/tile.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstdint>
#include <limits>

/// The best of a row of scores by one thread of a host. Scores that beat the N-th of the best so
/// far are found in vector registers and collected; when there is no more room, the best N are
/// found (Hoare's FIND) and the others dropped. Where scores come in no order that is some
/// log(items/N) times.
namespace carroll::detail {

/// Room for candidates of a row: as many again as are kept, at least 256.
inline std::int64_t candidate_capacity(std::int64_t wanted) {
  return wanted + std::max<std::int64_t>(wanted, 256);
}

/// The scores of a row, product by product.
template <class Real>
struct RowScores {
  Real const* products;
  Real const* base;
  Real bias;
  std::int64_t count;
  [[nodiscard]] Real operator()(std::int64_t j) const { return (products[j] + base[j]) + bias; }
};

/// What has been collected of a row.
template <class Real>
struct Collected {
  Candidate<Real>* candidates;
  std::int64_t capacity;
  std::int64_t count = 0;
  std::int64_t next = 0;                                ///< score to be looked at
  bool bad = false;                                     ///< was one NaN or +∞?
  Real worst = -std::numeric_limits<Real>::infinity();  ///< that which candidates have to beat

  void add(Real score, std::int64_t j) {
    candidates[count++] = {score, static_cast<std::int32_t>(j)};
  }
};

/// Goes on until the row ends or there may be no room for the next candidates.
template <class Real>
struct CollectCandidates {
  RowScores<Real> row;
  Collected<Real>& collected;

  template <int Bytes>
  void run() const {
    using Numbers = Pack<Real, Bytes>;
    constexpr int width = Numbers::width;
    Collected<Real> all = collected;
    Numbers const bias(row.bias), worst(all.worst), none(std::numeric_limits<Real>::infinity());
    typename Numbers::Mask finite(-1);
    std::int64_t j = all.next;
    for (; j + width <= row.count && all.count + width <= all.capacity; j += width) {
      Numbers const score = (Numbers::load(row.products + j) + Numbers::load(row.base + j)) + bias;
      finite = finite & (score < none);
      for (unsigned better = lanes_in(score > worst); better != 0; better &= better - 1) {
        int const lane = std::countr_zero(better);
        all.add(row(j + lane), j + lane);
      }
    }
    all.bad = all.bad || any(~finite);
    if (j + width > row.count)
      for (; j < row.count && all.count < all.capacity; ++j) {
        Real const score = row(j);
        all.bad = all.bad || !(score < std::numeric_limits<Real>::infinity());
        if (score > all.worst) all.add(score, j);
      }
    all.next = j;
    collected = all;
  }
};

template <class Real, class MemorySpace>
struct SelectOnHost {
  BestProblem<Real, MemorySpace> problem;
  BestTile<Real, MemorySpace> tile;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    KOKKOS_IF_ON_HOST((select(t);))
    KOKKOS_IF_ON_DEVICE((static_cast<void>(t);))
  }

 private:
  void select(std::int64_t t) const {
    std::int64_t const user = problem.rows.data[(tile.begin + t) * problem.rows.stride];
    RowScores<Real> const row{tile.scores + t * problem.items(), problem.base.data(),
                              problem.bias_of(user), problem.items()};
    Collected<Real> all{tile.candidates + t * tile.capacity, tile.capacity};
    while (all.next < row.count) {
      with_host_vectors(CollectCandidates<Real>{row, all});
      if (all.count <= problem.wanted) continue;
      keep_best(all.candidates, all.count);
      all.count = problem.wanted;
      all.worst = all.candidates[all.count - 1].score;
    }
    bool const full = all.count == problem.wanted;
    if (!all.bad) std::sort(all.candidates, all.candidates + all.count);
    for (std::int32_t place = 0; place < problem.wanted; ++place) {
      Candidate<Real> const best =
          place < all.count ? all.candidates[place] : Candidate<Real>{0, no_index};
      leave_best(problem, tile.begin + t, place, best.score, best.index, all.bad);
    }
    count_best(tile, full, all.bad);
  }

  /// The best N of more than so many to the front, the worst of these behind the others.
  void keep_best(Candidate<Real>* candidates, std::int64_t count) const {
    std::nth_element(candidates, candidates + problem.wanted - 1, candidates + count);
  }
};

}  // namespace carroll::detail
