// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/common/arrow_rows.hpp>
#include <type_traits>
#include <utility>

/// Where the rows of a window come from: memory, or a functor.
namespace carroll::detail {

template <bool Plain>
struct StoredRows {
  static constexpr int motions = 0;        ///< any number
  static constexpr bool is_plain = Plain;  ///< entries are as they stand in memory
  static constexpr bool checks_places = !Plain;
  static constexpr bool is_stored = true;
  /// Are entries numbers of Real where there are no weights?
  template <class Real>
  static constexpr bool has_entries_of = true;

  template <class Real>
  KOKKOS_FUNCTION ArrowRows<Real, Plain> of(ArrowBatch<Real> const& batch, int problem) const {
    return {batch, problem};
  }
};

/// Rows of a frame that a functor computes: rows(frame, row) is an ArrowRow.
template <class Functor>
class FusedRows {
  using Row = std::remove_cvref_t<decltype(std::declval<Functor const&>()(0, 0))>;

  class OfFrame {
   public:
    KOKKOS_FUNCTION OfFrame(Functor const& rows, int frame, RobustWeight weight, double scale)
        : rows_(rows), frame_(frame), weight_(weight), scale_(scale) {}

    /// The entries at place p: put(0, u), put(1 + j, motion j), put(k + 1, d).
    template <class Put>
    KOKKOS_FUNCTION void read(int p, int k, Put const& put) const {
      auto const row = rows_(frame_, p);
      double const d = static_cast<double>(row.residual);
      double const w = root_of_weight(weight_, scale_, d);
      put(0, w * static_cast<double>(row.depth));
      for (int j = 0; j < k; ++j) put(1 + j, w * static_cast<double>(row.motion[j]));
      put(k + 1, w * d);
    }

   private:
    Functor const& rows_;
    int frame_;
    RobustWeight weight_;
    double scale_;
  };

 public:
  static constexpr int motions = Row::motions;
  static constexpr bool is_plain = false;
  static constexpr bool checks_places = false;
  static constexpr bool is_stored = false;
  template <class Real>
  static constexpr bool has_entries_of = std::is_same_v<typename Row::value_type, Real>;

  explicit FusedRows(Functor const& rows) : rows_(rows) {}

  template <class Real>
  KOKKOS_FUNCTION OfFrame of(ArrowBatch<Real> const& batch, int problem) const {
    return {rows_, batch.frame_of(problem), batch.options.weight, batch.options.weight_scale};
  }

 private:
  Functor rows_;
};

}  // namespace carroll::detail
